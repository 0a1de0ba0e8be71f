"""Models and providers through the current client. The last argument is the address of a provider that knows one key."""

import sys

from letta_client import AuthenticationError, BadRequestError, ConflictError, Letta, NotFoundError

from flow import BASE_URL, check, finish, refused

PROVIDER_URL = sys.argv[-1]
client = Letta(base_url=BASE_URL, api_key="any", max_retries=0)


def raw(method, path, body=None):
    """Operations that this generation of the client has no method for."""
    call = getattr(client, method)
    return call(path, cast_to=object) if body is None else call(path, cast_to=object, body=body)


def models():
    handles = [model.handle for model in client.models.list()]
    check("the demo is listed", handles, ["memoir/demo"])
    embedder = client.models.embeddings.list()[-1]
    check("the built-in embedder", (embedder.handle, embedder.embedding_dim), ("memoir/lexical-512", 512))
    check("by type", [model.handle for model in client.models.list(provider_type="letta")], ["memoir/demo"])
    check("by category", client.models.list(provider_category=["byok"]), [])


def providers():
    given = {"provider_type": "openai", "api_key": "sk-right", "base_url": f"{PROVIDER_URL}/v1"}
    check("a good key", "message" in raw("post", "/v1/providers/check", given), True)
    refused("a bad key", AuthenticationError, lambda: raw("post", "/v1/providers/check", {**given, "api_key": "x"}))
    created = raw("post", "/v1/providers/", {**given, "name": "mine"})
    check("the kind", (created["provider_category"], created["provider_type"]), ("byok", "openai"))
    check("no key comes back", "sk-right" in str(created), False)
    refused("twice", ConflictError, lambda: raw("post", "/v1/providers/", {**given, "name": "mine"}))
    refused("a name of ours", BadRequestError, lambda: raw("post", "/v1/providers/", {**given, "name": "openai"}))
    check("the list", [item["name"] for item in raw("get", "/v1/providers/")], ["mine"])
    listed = client.models.list(provider_category=["byok"])
    check("its models", [(m.handle, m.provider_name) for m in listed], [("mine/our-model", "mine")])
    refreshed = raw("patch", f"/v1/providers/{created['id']}/refresh", {})
    check("refreshed", refreshed["last_synced"] is None, False)
    return created["id"]


def talk():
    agent = client.agents.create(model="mine/our-model", embedding="memoir/lexical-512")
    check("the agent's model", (agent.llm_config.provider_name, agent.model), ("mine", "mine/our-model"))
    answer = client.agents.messages.create(agent_id=agent.id, input="hi")
    check("the answer", [message.content for message in answer.messages], ["hello"])
    refused("an unknown model", NotFoundError, lambda: client.agents.create(model="mine/none"))
    return agent


models()
provider_id = providers()
agent = talk()
raw("delete", f"/v1/providers/{provider_id}")
refused("gone", NotFoundError, lambda: raw("get", f"/v1/providers/{provider_id}"))
refused("without its key", AuthenticationError, lambda: client.agents.messages.create(agent_id=agent.id, input="hi"))
finish()
