/** Loaded into a server process with --import: at SIGUSR2 it says how much memory is in use after a garbage collection. */
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`memory in use: ${heapUsed + external}\n`);
});
