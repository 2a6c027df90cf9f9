// A clock that stands until a test moves it.

export class Clock {
  time = 0;
  timers = new Map();
  last = 0;

  now = () => this.time;

  set = (act, ms) => {
    this.last += 1;
    this.timers.set(this.last, { act, at: this.time + ms });
    return this.last;
  };

  clear = (timer) => void this.timers.delete(timer);

  /** Moves on, and calls what is due in order. */
  move(ms) {
    const end = this.time + ms;
    for (let [timer, due] = this.next(end); due; [timer, due] = this.next(end)) {
      this.timers.delete(timer);
      this.time = due.at;
      due.act();
    }
    this.time = end;
  }

  next(end) {
    const due = [...this.timers].filter(([, { at }]) => at <= end);
    return due.sort((one, other) => one[1].at - other[1].at)[0] ?? [];
  }
}
