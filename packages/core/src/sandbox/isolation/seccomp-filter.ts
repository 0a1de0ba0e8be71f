/**
 * The seccomp filter of a sandbox: blocks system calls that tools do not need and that past kernel exploits used, and
 * socket families that ignore network namespaces.
 */
interface Architecture {
  /** The kernel's AUDIT_ARCH value. */
  readonly audit: number;
  /** Fail with ENOSYS, so that callers fall back to other calls. */
  readonly missing: readonly number[];
  readonly refused: readonly number[];
  readonly socket: number;
  readonly clone: number;
}

/** clone3 hides its flags from filters; io_uring bypasses filters. */
const missing = [425, 426, 427, 435];
/** open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, pidfd_getfd, mount_setattr, memfd_secret. */
const newer = [428, 429, 430, 431, 432, 433, 438, 442, 447];

const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    missing,
    refused: [
      ...[101, 310, 311, 312], // ptrace, process_vm_readv, process_vm_writev, kcmp
      ...[165, 166, 155, 161, 272, 308], // mount, umount2, pivot_root, chroot, unshare, setns
      ...[303, 304, 300], // name_to_handle_at, open_by_handle_at, fanotify_init
      ...[321, 298, 323], // bpf, perf_event_open, userfaultfd
      ...[248, 249, 250], // add_key, request_key, keyctl
      ...[175, 313, 176, 246, 320, 169], // modules, kexec, reboot
      ...[167, 168, 103, 163, 179, 164, 227, 305, 159], // swap, syslog, acct, quotactl, clocks
      ...[134, 135, 139, 154, 172, 173], // uselib, personality, sysfs, modify_ldt, iopl, ioperm
      ...[319, 29, 68], // memfd_create, shmget, msgget: memory that process limits do not count
      ...newer,
    ],
    socket: 41,
    clone: 56,
  },
  arm64: {
    audit: 0xc00000b7,
    missing,
    refused: [
      ...[117, 270, 271, 272],
      ...[40, 39, 41, 51, 97, 268],
      ...[264, 265, 262],
      ...[280, 241, 282],
      ...[217, 218, 219],
      ...[105, 273, 106, 104, 294, 142],
      ...[224, 225, 116, 89, 60, 170, 112, 266, 171],
      92, // personality
      ...[279, 194, 186],
      ...newer,
    ],
    socket: 198,
    clone: 220,
  },
};

/** Unix, IPv4, IPv6 and netlink; AF_VSOCK, among others, is blocked. */
const socketFamilies = [1, 2, 10, 16];
/** Every CLONE_NEW… flag. */
const namespaceFlags = 0x7e020080;

const [load, jumpIfEqual, jumpIfAtLeast, jumpIfSet, answer] = [0x20, 0x15, 0x35, 0x45, 0x06];
const allow = 0x7fff0000;
const returnEperm = 0x00050001; // EPERM
const returnEnosys = 0x00050026; // ENOSYS
const kill = 0x80000000;
const [numberAt, architectureAt, firstArgumentAt] = [0, 4, 16];
/** System call numbers from here on belong to the x32 ABI. */
const x32Numbers = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Undefined for architectures without a table. */
export function composeSeccompFilter(architecture: string): Uint8Array | undefined {
  const known = architectures[architecture];
  return known && encode(compile(known));
}

function compile({ audit, missing: absent, refused, socket, clone }: Architecture): Instruction[] {
  const answerIf = (numbers: readonly number[], value: number): Instruction[] =>
    numbers.flatMap((number): Instruction[] => [
      [jumpIfEqual, 0, 1, number],
      [answer, 0, 0, value],
    ]);
  return [
    [load, 0, 0, architectureAt],
    [jumpIfEqual, 1, 0, audit],
    [answer, 0, 0, kill],
    [load, 0, 0, numberAt],
    [jumpIfAtLeast, 0, 1, x32Numbers],
    [answer, 0, 0, returnEperm],
    ...answerIf(absent, returnEnosys),
    ...answerIf(refused, returnEperm),
    // The first argument is only inspected for clone.
    [jumpIfEqual, 0, 4, clone],
    [load, 0, 0, firstArgumentAt],
    [jumpIfSet, 0, 1, namespaceFlags],
    [answer, 0, 0, returnEperm],
    [answer, 0, 0, allow],
    [jumpIfEqual, 0, 2 + 2 * socketFamilies.length, socket],
    [load, 0, 0, firstArgumentAt],
    ...answerIf(socketFamilies, allow),
    [answer, 0, 0, returnEperm],
    [answer, 0, 0, allow],
  ];
}

function encode(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
