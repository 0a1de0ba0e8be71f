/** A worker of Vitest whose main process was killed would run its test to the end, unseen; it ends with it instead. */
process.once("disconnect", () => process.exit(1));

export {};
