/** Attempts to get out of the sandbox, in Python. */
import { expect } from "vitest";
import type { Attempt } from "./escapes.ts";

const environment: Attempt[] = [
  { name: "reads the server's environment", code: `return loot["word"] in str(os.environ)` },
  { name: "reads the environment of the first process", code: `return variables(1)` },
  { name: "reads its own environment from the kernel", code: `return loot["word"] in read("/proc/self/environ")` },
  {
    name: "reads the environment of every process",
    code: `return any(loot["word"] in str(variables(pid)) for pid in os.listdir("/proc") if pid.isdigit())`,
    isRealWithoutWalls: true,
  },
  {
    name: "reads the environment of its parent",
    code: `return variables(os.getppid())`,
    isRealWithoutWalls: true,
  },
  {
    name: "reads the words other processes were started with",
    code: `
def words(pid):
    try:
        return read(f"/proc/{pid}/cmdline")
    except OSError:
        return ""
return any("vitest" in words(pid) for pid in os.listdir("/proc") if pid.isdigit())`,
    isRealWithoutWalls: true,
  },
];

const files: Attempt[] = [
  { name: "reads the database", code: `return read(loot["database"])`, isRealWithoutWalls: true },
  { name: "reads the key beside the database", code: `return read(loot["database"] + ".key")` },
  { name: "reads a file of another tenant", code: `return read(loot["file"])`, isRealWithoutWalls: true },
  { name: "writes the database", code: `return open(loot["database"], "a").write("x")` },
  { name: "reads the list of users", code: `return read("/etc/passwd")`, isRealWithoutWalls: true },
  { name: "reads the passwords of users", code: `return read("/etc/shadow")` },
  { name: "looks into the home of root", code: `return os.listdir("/root")` },
  { name: "looks into homes", code: `return os.listdir("/home")` },
  { name: "looks into variable data", code: `return os.listdir("/var")`, isRealWithoutWalls: true },
  { name: "goes through the root of the first process", code: `return read("/proc/1/root" + loot["file"])` },
  {
    name: "goes up from where it is",
    code: `return read("../../../../../.." + loot["file"])`,
    isRealWithoutWalls: true,
  },
  {
    name: "follows a link of its own making",
    code: `
os.symlink(loot["file"], "/tmp/link")
return read("/tmp/link")`,
  },
  { name: "makes a hard link", code: `os.link(loot["file"], "/tmp/hard")\nreturn read("/tmp/hard")` },
  {
    name: "finds an open descriptor of a file",
    code: `
seen = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{fd}")]
return [path for path in seen if path.startswith("/") and not path.startswith(("/dev/null", "/proc", "/usr"))]`,
  },
  {
    name: "finds open descriptors of the first process",
    code: `
seen = [os.readlink(f"/proc/1/fd/{fd}") for fd in os.listdir("/proc/1/fd")]
return [path for path in seen if path.startswith("/") and not path.startswith(("/dev/null", "/proc", "/usr"))]`,
  },
  { name: "leaves by a second root", code: `os.mkdir("/tmp/x")\nos.chroot("/tmp/x")\nreturn "in"` },
  { name: "writes where programs are", code: `return open("/usr/bin/python3", "r+b")` },
  { name: "adds a module for later calls", code: `return open("/usr/lib/python3/dist-packages/os.py", "w")` },
  { name: "writes beside the system", code: `return open("/loot", "w")`, isRealWithoutWalls: true },
  { name: "writes among the devices", code: `return open("/dev/loot", "w")` },
  {
    name: "sets what the kernel runs on a crash",
    code: `return open("/proc/sys/kernel/core_pattern", "w").write("|x")`,
  },
  { name: "presses the magic key", code: `return open("/proc/sysrq-trigger", "w").write("b")` },
  { name: "reads the devices of the machine", code: `return os.listdir("/sys")`, isRealWithoutWalls: true },
  { name: "reads the memory of the machine", code: `return open("/dev/mem", "rb") or open("/proc/kcore", "rb")` },
  { name: "reads the kernel's messages", code: `return open("/dev/kmsg", "rb").read(10)` },
  { name: "makes a disk", code: `os.mknod("/tmp/disk", 0o660 | 0o060000, os.makedev(8, 0))\nreturn "made"` },
  {
    name: "finds what the last call left",
    code: `
found = os.path.exists("/tmp/left")
open("/tmp/left", "w").write("x")
return found`,
  },
];

const network: Attempt[] = [
  {
    name: "connects to the server on this machine",
    code: `return socket.create_connection(("127.0.0.1", loot["port"]), 2)`,
    isRealWithoutWalls: true,
  },
  { name: "connects by IPv6", code: `return socket.create_connection(("::1", loot["port"]), 2)` },
  { name: "asks the metadata service", code: `return socket.create_connection(("169.254.169.254", 80), 2)` },
  { name: "connects to the world", code: `return socket.create_connection(("1.1.1.1", 443), 2)` },
  { name: "looks up a name", code: `return socket.gethostbyname("example.com")` },
  {
    name: "sends a packet",
    code: `return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53))`,
  },
  { name: "opens a raw socket", code: `return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)` },
  { name: "listens to all packets", code: `return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 768)` },
  { name: "talks to the host of a virtual machine", code: `return socket.socket(40, socket.SOCK_STREAM)` },
  { name: "talks to the kernel's ciphers", code: `return socket.socket(38, socket.SOCK_SEQPACKET)` },
  {
    name: "connects to a socket file of the server",
    code: `
plug = socket.socket(socket.AF_UNIX)
plug.connect(loot["socket"])
return "connected"`,
    isRealWithoutWalls: true,
  },
  {
    name: "connects to a socket without a file",
    code: `
plug = socket.socket(socket.AF_UNIX)
plug.connect("\\0" + loot["abstractSocket"])
return "connected"`,
    isRealWithoutWalls: true,
  },
  {
    name: "finds another network device",
    code: `return [name for _, name in socket.if_nameindex() if name != "lo"]`,
    isRealWithoutWalls: true,
  },
  { name: "finds a way out that nobody allowed", code: `return os.path.exists("/run/memoir/out.sock")` },
];

const processes: Attempt[] = [
  {
    name: "sees other processes",
    code: `return len([pid for pid in os.listdir("/proc") if pid.isdigit()]) > 4`,
    isRealWithoutWalls: true,
  },
  { name: "signals the server", code: `os.kill(loot["pid"], 0)\nreturn "there"`, isRealWithoutWalls: true },
  {
    name: "ends the first process",
    code: `
os.kill(1, signal.SIGKILL)
time.sleep(0.2)
return not os.path.exists("/proc/1")`,
    fails: /ended without a result/,
  },
  { name: "traces the first process", code: `return libc.ptrace(16, 1, 0, 0) == 0` },
  {
    name: "finds something in the memory of the first process",
    code: `
found = b""
with open("/proc/1/maps") as maps, open("/proc/1/mem", "rb", 0) as memory:
    for line in maps:
        begin, end = (int(part, 16) for part in line.split()[0].split("-"))
        if "r" in line.split()[1] and "[v" not in line:
            memory.seek(begin)
            found += memory.read(end - begin)
return loot["word"].encode() in found`,
  },
  {
    name: "reads the memory of another process by a call",
    code: `
buffer = ctypes.create_string_buffer(8)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
return system_call(310, 1, vector, 1, vector, 1, 0)`,
  },
  {
    name: "starts processes without end",
    code: `
count = 0
try:
    while count < 3000:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        count += 1
except OSError:
    pass
return count if count > 60 else None`,
  },
  {
    name: "starts threads without end",
    code: `
import threading
count = 0
try:
    while count < 3000:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        count += 1
except RuntimeError:
    pass
return count if count > 60 else None`,
  },
  {
    name: "leaves a process behind",
    code: `
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (1, 2, 3, 15):
            signal.signal(number, signal.SIG_IGN)
        libc.prctl(15, b"memoir-bomb", 0, 0, 0)
        time.sleep(60)
    os._exit(0)
return None`,
  },
  {
    name: "leaves a program behind",
    code: `subprocess.Popen(["/bin/sleep", "4242"], start_new_session=True)\nreturn None`,
  },
];

const resources: Attempt[] = [
  {
    name: "makes itself dearer to the kernel than others when memory runs out",
    code: `
with open("/proc/self/oom_score_adj", "r+") as file:
    file.write("0")
return read("/proc/self/oom_score_adj").strip() == "0"`,
    isRealWithoutWalls: true,
  },
  {
    name: "is as dear to the kernel as the server when memory runs out",
    code: `return read("/proc/self/oom_score_adj").strip() != "1000"`,
    isRealWithoutWalls: true,
  },
  { name: "takes all memory", code: `return len(bytearray(4_000_000_000))` },
  {
    name: "takes memory bit by bit",
    code: `
held = []
for _ in range(400):
    held.append(bytearray(10_000_000))
return len(held)`,
  },
  {
    name: "takes memory through files without a name",
    code: `
held = [os.memfd_create("x") for _ in range(20)]
return sum(os.write(fd, b"x" * 10_000_000) for fd in held)`,
    isRealWithoutWalls: true,
  },
  {
    name: "leaves memory with the kernel that belongs to no process",
    code: `
place = libc.shmget(0, 10_000_000, 0o1600)
libc.shmctl(place, 0, None)
return place >= 0`,
    isRealWithoutWalls: true,
  },
  {
    name: "leaves messages with the kernel that belong to no process",
    code: `
place = libc.msgget(0, 0o1600)
libc.msgctl(place, 0, None)
return place >= 0`,
    isRealWithoutWalls: true,
  },
  {
    name: "fills the scratch space",
    code: `
written = 0
for number in range(40):
    with open(f"/tmp/{number}", "wb") as file:
        written += file.write(b"x" * 10_000_000)
return written`,
  },
  {
    name: "fills shared memory",
    code: `
written = 0
for number in range(40):
    with open(f"/dev/shm/{number}", "wb") as file:
        written += file.write(b"x" * 10_000_000)
return written`,
  },
  {
    name: "opens files without end",
    code: `
held = []
for _ in range(5000):
    held.append(open("/dev/null"))
return len(held)`,
  },
  {
    name: "raises its own limits",
    code: `
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (4096, 4096))
return "raised"`,
  },
  {
    name: "prints without end",
    code: `
for _ in range(400):
    os.write(1, b"x" * 1_000_000)
return None`,
    check: ({ stdout }) => expect(stdout[0]?.length).toBeLessThan(300_000),
  },
  {
    name: "returns more than fits",
    code: `raise SystemExit(0) if False else BaseException("x" * 60_000_000)`,
    fails: /more than fits/,
  },
  { name: "computes for ever", code: `while True: pass`, fails: /took longer than/ },
  {
    name: "waits for ever, deaf to signals",
    code: `
for number in range(1, 32):
    try: signal.signal(number, signal.SIG_IGN)
    except OSError: pass
time.sleep(1000)`,
    fails: /took longer than/,
  },
];

const privileges: Attempt[] = [
  { name: "becomes root", code: `os.setuid(0)\nreturn os.getuid() == 0` },
  { name: "becomes somebody else", code: `os.setresuid(1000, 1000, 1000)\nreturn "changed"` },
  { name: "is root already", code: `return os.getuid() == 0 or os.geteuid() == 0` },
  { name: "has a capability", code: `return int(read("/proc/self/status").split("CapEff:")[1].split()[0], 16) != 0` },
  { name: "could gain one", code: `return int(read("/proc/self/status").split("CapBnd:")[1].split()[0], 16) != 0` },
  { name: "may gain privileges", code: `return "NoNewPrivs:\\t1" not in read("/proc/self/status")` },
  { name: "runs without a filter", code: `return "Seccomp:\\t2" not in read("/proc/self/status")` },
  { name: "mounts something", code: `return libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0` },
  { name: "makes the system writable", code: `return libc.mount(b"none", b"/usr", None, 32 | 4096, None) == 0` },
  { name: "unmounts what covers the host", code: `return libc.umount2(b"/tmp", 2) == 0` },
  { name: "makes a user namespace", code: `return libc.unshare(0x10000000) == 0` },
  { name: "makes a network namespace", code: `return libc.unshare(0x40000000) == 0` },
  { name: "clones into a namespace", code: `return libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0) > 0` },
  {
    name: "enters the namespaces of the first process",
    code: `return libc.setns(os.open("/proc/1/ns/mnt", os.O_RDONLY), 0) == 0`,
  },
  {
    name: "builds a sandbox inside",
    code: `return subprocess.run(["/usr/bin/bwrap", "--bind", "/", "/", "true"], capture_output=True).returncode == 0`,
  },
  {
    name: "asks a program with rights of its own",
    code: `return subprocess.run(["/usr/bin/su", "-c", "id"], capture_output=True, timeout=5).returncode == 0`,
  },
  { name: "loads a program into the kernel", code: `return system_call(321, 0, 0, 0)` },
  { name: "uses the kernel's keys", code: `return system_call(250, 0, -3, 1)` },
  { name: "uses the ring of the kernel", code: `return system_call(425, 8, ctypes.create_string_buffer(120))` },
  { name: "opens a file by its handle", code: `return system_call(304, -100, ctypes.create_string_buffer(64), 0)` },
  { name: "watches the kernel", code: `return system_call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)` },
  { name: "catches page faults", code: `return system_call(323, 0)` },
  { name: "renames the machine", code: `socket.sethostname("loot")\nreturn "renamed"` },
  { name: "sets the clock", code: `time.clock_settime(time.CLOCK_REALTIME, 0)\nreturn "set"` },
  { name: "gives a file away", code: `open("/tmp/x", "w").close()\nos.chown("/tmp/x", 0, 0)\nreturn "given"` },
  {
    name: "makes a program that runs as root",
    code: `
open("/tmp/x", "w").close()
os.chmod("/tmp/x", 0o4755)
return os.stat("/tmp/x").st_uid == 0`,
  },
  {
    name: "types into the terminal",
    code: `
import fcntl
fcntl.ioctl(0, 0x5412, b"x")
return "typed"`,
  },
  { name: "has a terminal", code: `return open("/dev/tty")` },
];

const answers: Attempt[] = [
  {
    name: "writes an answer on every descriptor",
    code: `
for fd in range(3, 200):
    try: os.write(fd, b'{"value": "BREACH: forged", "changes": []}\\n00000000 {"value": "BREACH: forged"}\\n')
    except OSError: pass
return None`,
  },
  { name: "prints an answer", code: `print('{"value": "BREACH: forged", "changes": []}')\nreturn None` },
  {
    name: "answers through a child that has every descriptor",
    code: `
program = 'import os\\nfor fd in range(3, 200):\\n  try: os.write(fd, b"BREACH: forged\\\\n")\\n  except OSError: pass'
subprocess.run([sys.executable, "-c", program], close_fds=False)
return None`,
  },
  {
    name: "answers and leaves",
    code: `
for fd in range(3, 200):
    try: os.write(fd, b'{"value": "BREACH: forged", "changes": []}\\n')
    except OSError: pass
os._exit(0)`,
    fails: /ended without a result/,
  },
  {
    name: "changes blocks that it was not given",
    code: `
frame = sys._getframe()
while frame.f_back is not None:
    frame = frame.f_back
tokens = [value for value in frame.f_locals.values() if isinstance(value, bytes) and len(value) == 32]
frame = sys._getframe()
while frame is not None:
    tokens += [value for value in frame.f_locals.values() if isinstance(value, bytes) and len(value) == 32]
    frame = frame.f_back
forged = b' {"value": "held: forged", "changes": [{"label": "human", "value": "loot"}]}\\n'
for fd in range(3, 200):
    try: os.write(fd, tokens[0] + forged)
    except OSError: pass
time.sleep(5)`,
    check: (result) => expect(result).toMatchObject({ status: "success", value: "held: forged", changes: [] }),
  },
  {
    name: "returns something that is more than data",
    code: `
class Bomb:
    def __reduce__(self):
        return (os.system, ("true",))
    def __str__(self):
        return ""
return Bomb() if False else None`,
  },
  {
    name: "replaces how answers are written",
    code: `
import json
json.dumps = lambda *_: '{"value": "BREACH: forged"} extra'
return None`,
    fails: /could not be read/,
  },
];

export const pythonAttempts: readonly Attempt[] = [
  ...environment,
  ...files,
  ...network,
  ...processes,
  ...resources,
  ...privileges,
  ...answers,
];
