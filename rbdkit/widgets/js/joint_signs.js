// What a joint lets a body do, as a sign of 24 by 24: a path for the bodies, and one, thinner, for the ways it moves.

const SOCKET = "M12 15.500a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM6.200 14.500a6.500 6.500 0 0 0 11.600 0M12 18v3.500";
const BALL_TURNS = "M12 7.500V2.500M9 4.500a6 3 0 0 1 6 0";
const PLANE = "M2.500 20 7.500 12.500h14L16.500 20z";
const IN_PLANE = "M8.500 16.200h7.500M10 14.800l-1.500 1.400 1.500 1.400M14.500 14.800l1.500 1.400-1.500 1.400";
const TURN = "M6.500 8a6 4 0 0 1 11 0M17.900 4.800V8.200h-3.400";

const JOINT_SIGNS = {
  fixed: ["M12 3v10M4 13h16M5 18l3.500-5M10.200 18l3.500-5M15.500 18l3.500-5", ""],
  revolute: ["M12 20.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 17h5.500M15.500 17H21", "M5.500 10.500a7 6 0 0 1 13 0M18.900 7v3.600h-3.600"],
  prismatic: ["M2.500 19.500h19M7.500 12h9v7.500h-9z", "M4 7h16M6 5 4 7l2 2M18 5l2 2-2 2"],
  helical: ["M9 2.500h6v19H9zM9 8.500l6-3M9 13.500l6-3M9 18.500l6-3", "M4.500 15V7M2.800 8.800 4.500 7l1.700 1.800M19.500 8a3 3.500 0 0 1 0 7M21 13.700l-1.700 1.400 1.200 1.800"],
  rack_and_pinion: ["M12 13.500a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM3 20.500v-3.500h2.500v-2.500H8V17h2.800v-2.500h2.500V17h2.800v-2.500h2.500V17H21v3.500z", "M12 8.500l3-2.800"],
  cylindrical: ["M2.500 15h4M17.500 15h4M6.500 11h11v8h-11z", "M5 5.500h7M6.500 4 5 5.500 6.500 7M10.500 4 12 5.500 10.500 7M17 3a3 3 0 0 1 2.500 4.500M20.800 5.800l-1.400 1.900-1.900-1.400"],
  planar_translation: [PLANE, `${IN_PLANE}M13.500 13.800 10.500 18.600`],
  planar: [PLANE, IN_PLANE + TURN],
  free_in_plane: [PLANE, `${IN_PLANE}${TURN}M4 6V2.500h3.500`],
  universal: ["M2.500 12H6M12 5.500H6v13h6M18 9v6M18 12h3.500", "M12 5.500v13M9 12h9"],
  spherical: [SOCKET, BALL_TURNS],
  euler_spherical: [SOCKET, "M12 7.500V2.500M16.500 6a5 5 0 0 0-2-2.500M7.500 6a5 5 0 0 1 2-2.500"],
  euler_angles: [SOCKET, "M12 7.500 8 2.500M12 7.500V2.500M12 7.500l4-5"],
  exponential_spherical: [SOCKET, "M12 7.500l4.500-5M13.800 2.500h2.700v2.700"],
  sphere_in_cylinder: ["M2.500 6h19M2.500 18h19M12 16.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9z", "M5.800 10.500 4 12l1.800 1.500M18.200 10.500 20 12l-1.800 1.500"],
  translational: ["M9.500 9.500h5v5h-5z", "M12 7V2.500M10.400 4 12 2.500 13.600 4M17 12h4.500M20 10.400l1.500 1.600-1.500 1.600M8.500 15.500l-4.500 4.500M4 17.500V20h2.500"],
  free: ["M8.500 8.500h7v7h-7z", "M12 6V2.500M18 12h3.500M6.500 17.500 4 20M4.500 11a7.500 7.500 0 0 1 4-6.200M19.500 14.500a7.500 7.500 0 0 1-5.500 5"],
  spline_curve: ["M2.500 18C8 18 7 7 12 7s5 7 9.500 7", "M4 16.300v3.400M9.400 8.700l-2.600-1.800M12 5v4M17 11.700l1.800-2.400"],
  spline_surface: ["M2.500 17c4-6 7 1 11-4l8-1M2.500 17l5-10c4-4 7 2 14-2v7", ""],
  composite: ["M6.500 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM13 14.500h8v6h-8z", "M9 8.500l5 5M14 10.600v2.900h-2.900"],
};

// The sign of a kind of joint; null where there is none.
function joint_sign(kind) {
  if (!JOINT_SIGNS[kind]) return null;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "rbd-joint-sign");
  svg.setAttribute("aria-hidden", "true");
  JOINT_SIGNS[kind].forEach((way, k) => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", way);
    path.setAttribute("stroke-width", k ? 1.3 : 1.8);
    svg.append(path);
  });
  return svg;
}
