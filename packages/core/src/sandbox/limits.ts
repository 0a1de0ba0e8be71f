/** How much one call may take. What is counted by the kernel is set before the first line of foreign code runs. */
export interface SandboxLimits {
  /** Memory of one process; of all processes of a call together where control groups can be used. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  /** Scratch space in memory, and so the largest file. */
  readonly scratchBytes: number;
  /** Processor time of one process; the time on the clock is the caller's choice. */
  readonly cpuSeconds: number;
  /** Of standard output and of standard error, each. */
  readonly printedBytes: number;
  readonly resultBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: SandboxLimits = {
  memoryBytes: 512 * mebibyte,
  processes: 48,
  openFiles: 256,
  scratchBytes: 64 * mebibyte,
  cpuSeconds: 300,
  printedBytes: 256 * 1024,
  resultBytes: 4 * mebibyte,
};
