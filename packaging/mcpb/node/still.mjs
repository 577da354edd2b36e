// Loaded before what packs the bundle, it stops the clock for the times in the archive, at the first that one can have.
const Clock = globalThis.Date;
globalThis.Date = class extends Clock {
  constructor(...args) {
    if (args.length > 0) super(...args);
    else super(Clock.UTC(1980, 0, 1));
  }
};
