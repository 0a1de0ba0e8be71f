/** Resource limits of one call; limits that the kernel enforces are set before any untrusted code runs. */
export interface SandboxLimits {
  /** Memory of one process, or of all processes of a call where control groups are available. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  /** Size of the scratch space in memory, which also limits files. */
  readonly scratchBytes: number;
  /** CPU time of one process; the wall-clock timeout belongs to the job. */
  readonly cpuSeconds: number;
  /** Limit of stdout and of stderr, each. */
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
