// Whether WebGL is drawn by the processor. Multisampling then costs half the frame rate: a moving picture goes without, and a
// resting one is drawn once more at twice the resolution, which looks better still.
const draws_in_software = (() => {
  let answer;
  return () => {
    if (answer === undefined) {
      const gl = document.createElement("canvas").getContext("webgl");
      const info = gl?.getExtension("WEBGL_debug_renderer_info");
      answer = Boolean(info) && /swiftshader|llvmpipe|software|basic render/i.test(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
      gl?.getExtension("WEBGL_lose_context")?.loseContext();
    }
    return answer;
  };
})();
