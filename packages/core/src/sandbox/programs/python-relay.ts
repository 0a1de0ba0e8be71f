/** Part of the Python runner: routes connections to the egress proxy. */
import { maxConnections } from "../isolation/egress-proxy.ts";

export const pythonRelay = `
def start_relay(port):
    """Passes connections on to the only way out, in a process of its own."""
    import socket
    listener = socket.create_server(("127.0.0.1", port))
    if os.fork() != 0:
        listener.close()
        return
    os.close(CHANNEL)
    Relay(listener).run()


class Relay:
    """All in one thread: with one for each connection a dozen would use up the memory that there is."""

    # More would be refused at the other end; here they wait.
    MOST = ${maxConnections}

    def __init__(self, listener):
        self.listener, self.peers, self.unsent, self.ended = listener, {}, {}, set()

    def run(self):
        import select
        while True:
            reading = [each for each, peer in self.peers.items() if each not in self.ended and not self.unsent[peer]]
            if len(self.peers) < 2 * self.MOST:
                reading.append(self.listener)
            writing = [each for each in self.peers if self.unsent[each]]
            readable, writable, _ = select.select(reading, writing, [])
            for each in writable:
                self.attempt(self.send, each)
            for each in readable:
                if each is self.listener:
                    self.accept()
                else:
                    self.attempt(self.receive, each)

    def accept(self):
        import socket
        near, _ = self.listener.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(WAY_OUT)
        except OSError:
            near.close()
            far.close()
            return
        for each, peer in ((near, far), (far, near)):
            each.setblocking(False)
            self.peers[each], self.unsent[each] = peer, b""

    def attempt(self, work, each):
        if each not in self.peers:
            return
        try:
            work(each)
        except BlockingIOError:
            pass
        except OSError:
            self.drop(each)

    def receive(self, source):
        target = self.peers[source]
        data = source.recv(65536)
        if data:
            self.unsent[target] = data
            self.send(target)
            return
        self.ended.add(source)
        if target in self.ended:
            self.drop(source)
        else:
            import socket
            target.shutdown(socket.SHUT_WR)

    def send(self, target):
        data = self.unsent[target]
        self.unsent[target] = data[target.send(data):]

    def drop(self, one):
        for each in (one, self.peers[one]):
            del self.peers[each], self.unsent[each]
            self.ended.discard(each)
            each.close()
`;
