// The clock: where the motion is, whether it runs, how fast; what Python is told and what it asks for.

const REPORT_EVERY = 250; // ms between reports while playing

class Player {
  constructor(model, on_time) {
    this.model = model;
    this.on_time = on_time;
    this.tracks = null;
    this.t = 0;
    this.playing = false;
    this.reported = 0;
    this.listeners = new Set();
    this.mine = false;
    this.heard = {
      "change:t": () => this.mine || this.seek(model.get("t"), false),
      "change:playing": () => this.mine || (model.get("playing") ? this.play() : this.pause()),
      "change:rate": () => this.tell(),
      "change:loop": () => this.tell(),
    };
    for (const [event, action] of Object.entries(this.heard)) model.on(event, action);
  }

  load(tracks) {
    this.tracks = tracks;
    if (!tracks) {
      this.playing = false;
      this.tell();
      return;
    }
    this.seek(this.model.get("t"), false);
    if (this.model.get("playing")) this.play();
  }

  get rate() {
    return this.model.get("rate");
  }

  get loop() {
    return this.model.get("loop");
  }

  set(name, value) {
    this.report({ [name]: value });
    this.tell();
  }

  play() {
    if (!this.tracks || this.playing) return;
    if (this.t >= this.tracks.end) this.move(this.tracks.start);
    this.playing = true;
    this.last = performance.now();
    this.report({ playing: true });
    this.tell();
    const run = (now) => {
      if (!this.playing) return;
      this.advance(now);
      requestAnimationFrame(run);
    };
    requestAnimationFrame(run);
  }

  advance(now) {
    const { start, end } = this.tracks;
    let t = this.t + (Math.max(0, now - this.last) / 1000) * this.rate;
    this.last = now;
    if (t >= end) {
      if (this.loop && end > start) t = start + ((t - start) % (end - start));
      else {
        this.move(end);
        this.pause();
        return;
      }
    }
    this.move(t);
    if (now - this.reported > REPORT_EVERY) this.report({});
  }

  pause() {
    this.playing = false;
    if (this.tracks) this.on_time(this.t); // plots write their numbers less often while playing
    this.report({ playing: false });
    this.tell();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  // One key forwards or back.
  step(by) {
    if (!this.tracks) return;
    const { t } = this.tracks;
    let k = this.tracks.key(this.t);
    if (by < 0 && this.t > t[k]) k += 1; // back from between two keys: the one just passed
    if (this.playing) this.pause();
    this.seek(t[Math.min(t.length - 1, Math.max(0, k + by))]);
  }

  seek(t, report = true) {
    if (!this.tracks) return;
    this.last = performance.now();
    this.move(Math.min(this.tracks.end, Math.max(this.tracks.start, t)));
    if (report) this.report({});
  }

  move(t) {
    this.t = t;
    this.on_time(t);
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  report(more) {
    this.reported = performance.now();
    this.mine = true;
    for (const [name, value] of Object.entries({ t: this.t, ...more })) this.model.set(name, value);
    this.mine = false;
    this.model.save_changes();
  }

  dispose() {
    this.playing = false;
    for (const [event, action] of Object.entries(this.heard)) this.model.off(event, action);
  }
}
