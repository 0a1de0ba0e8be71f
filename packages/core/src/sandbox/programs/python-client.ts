/** Part of the Python runner: the client for requests to the server. */
export const pythonClient = `
def make_client(session):
    if not session:
        return None
    library = session.get("library")
    if library:
        try:
            import importlib
            make = getattr(importlib.import_module(library["module"]), library["name"])
        except (ImportError, AttributeError):
            return Client(session)
        try:
            return make(base_url=session["base"], api_key=session["key"])
        except TypeError:
            return make(base_url=session["base"], token=session["key"])
    return Client(session)


class Client:
    """Speaks to the server on behalf of the tool's agent, and of no other."""

    def __init__(self, session):
        self.base, self.key = session["base"], session["key"]
        self.agents = types.SimpleNamespace(blocks=Blocks(self), passages=Passages(self))

    def request(self, method, path, body=None):
        import urllib.error, urllib.request
        data = None if body is None else json.dumps(body).encode("utf-8")
        headers = {"Authorization": "Bearer " + self.key, "Content-Type": "application/json"}
        question = urllib.request.Request(self.base + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(question) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{error.code}: {error.read().decode('utf-8', 'replace')}") from None
        return wrap(json.loads(text)) if text else None

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, body=None):
        return self.request("POST", path, body if body is not None else {})

    def patch(self, path, body):
        return self.request("PATCH", path, body)

    def delete(self, path):
        return self.request("DELETE", path)


class Blocks:
    def __init__(self, client):
        self.client = client

    def list(self, agent_id):
        return self.client.get(f"/v1/agents/{agent_id}/core-memory/blocks")

    def retrieve(self, block_label, agent_id):
        return self.client.get(self.path(agent_id, block_label))

    def update(self, block_label, agent_id, **changes):
        return self.client.patch(self.path(agent_id, block_label), changes)

    modify = update

    def path(self, agent_id, label):
        from urllib.parse import quote
        return f"/v1/agents/{agent_id}/core-memory/blocks/{quote(label, safe='')}"


class Passages:
    def __init__(self, client):
        self.client = client

    def list(self, agent_id):
        return self.client.get(f"/v1/agents/{agent_id}/archival-memory")

    def create(self, agent_id, **passage):
        return self.client.post(f"/v1/agents/{agent_id}/archival-memory", passage)
`;
