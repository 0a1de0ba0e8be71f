/**
 * Which calls to the kernel are refused inside, as a seccomp filter: those that tools have no honest use for and that
 * kernels were broken through before. It also closes the kinds of sockets that know no network namespaces.
 */
interface Architecture {
  /** How the kernel names it. */
  readonly audit: number;
  /** Answered as if the kernel did not have them: callers then do without. */
  readonly missing: readonly number[];
  readonly refused: readonly number[];
  readonly socket: number;
  readonly clone: number;
}

/** clone3 hides its flags from filters; io_uring does what others are refused. */
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
      ...[319, 29, 68], // memfd_create, shmget, msgget: memory that no limit of a process counts
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

/** Unix, IPv4, IPv6 and what interfaces are listed with. Those of virtual machines, among others, are not. */
const socketFamilies = [1, 2, 10, 16];
/** Every CLONE_NEW… flag. */
const namespaceFlags = 0x7e020080;

const [load, jumpIfEqual, jumpIfAtLeast, jumpIfSet, answer] = [0x20, 0x15, 0x35, 0x45, 0x06];
const allow = 0x7fff0000;
const refuse = 0x00050001; // EPERM
const pretendMissing = 0x00050026; // ENOSYS
const kill = 0x80000000;
const [numberAt, architectureAt, firstArgumentAt] = [0, 4, 16];
/** Numbers from here on belong to a second way of calling on x64. */
const otherNumbers = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Undefined for processors that nobody wrote the numbers down for. */
export function composeRules(architecture: string): Uint8Array | undefined {
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
    [jumpIfAtLeast, 0, 1, otherNumbers],
    [answer, 0, 0, refuse],
    ...answerIf(absent, pretendMissing),
    ...answerIf(refused, refuse),
    // Into the first argument only where it decides.
    [jumpIfEqual, 0, 4, clone],
    [load, 0, 0, firstArgumentAt],
    [jumpIfSet, 0, 1, namespaceFlags],
    [answer, 0, 0, refuse],
    [answer, 0, 0, allow],
    [jumpIfEqual, 0, 2 + 2 * socketFamilies.length, socket],
    [load, 0, 0, firstArgumentAt],
    ...answerIf(socketFamilies, allow),
    [answer, 0, 0, refuse],
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
