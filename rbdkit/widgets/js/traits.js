// What a widget keeps, in a page where no kernel answers.

class Traits {
  constructor(values) {
    this.values = values;
    this.listeners = new Map();
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
    this.tell(`change:${name}`);
  }

  on(event, listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event).add(listener);
  }

  off(event, listener) {
    this.listeners.get(event)?.delete(listener);
  }

  send(message) {
    this.tell("send", message);
  }

  tell(event, ...what) {
    for (const listener of [...(this.listeners.get(event) ?? [])]) listener(...what);
  }

  save_changes() {}
}
