"""The Python client of the current generation, 1.x, with folders and MCP servers."""

import letta_client
from flow import BASE_URL, IS_SMOKE, UNKNOWN, check, finish, refused
from letta_client import Letta

client = Letta(base_url=BASE_URL, max_retries=0)
agent = client.agents.create(model="memoir/demo", include_base_tools=False).id


def folders():
    folder = client.folders.create(name="docs", description="d")
    check("created", (folder.name, folder.description, folder.metadata), ("docs", "d", None))
    check("retrieved", client.folders.retrieve(folder.id).name, "docs")
    check("updated", client.folders.update(folder.id, instructions="read").instructions, "read")
    more = client.folders.create(name="more")
    check("listed", [item.id for item in client.folders.list(limit=1)], [folder.id, more.id])
    check("by name", [item.id for item in client.folders.list(name="more")], [more.id])
    refused("name taken", letta_client.ConflictError, lambda: client.folders.create(name="docs"))
    refused("unknown", letta_client.NotFoundError, lambda: client.folders.retrieve(f"source-{UNKNOWN}"))
    refused("odd id", letta_client.UnprocessableEntityError, lambda: client.folders.retrieve("docs"))
    client.folders.delete(more.id)
    return folder


def attached(folder):
    check("attach", client.agents.folders.attach(folder.id, agent_id=agent), None)
    check("attached", [item.id for item in client.agents.folders.list(agent)], [folder.id])
    check("who", list(client.folders.agents.list(folder.id)), [agent])
    names = sorted(tool.name for tool in client.agents.tools.list(agent))
    check("tools", names, ["grep_files", "open_files", "semantic_search_files"])
    check("no files", list(client.agents.files.list(agent)), [])
    check("none open", client.agents.files.close_all(agent), [])
    refused(
        "open", letta_client.NotFoundError, lambda: client.agents.files.open(f"file-{UNKNOWN}", agent_id=agent)
    )
    check("detach", client.agents.folders.detach(folder.id, agent_id=agent), None)
    check("tools gone", list(client.agents.tools.list(agent)), [])


def uploads(folder):
    problem = refused(
        "upload",
        letta_client.InternalServerError,
        lambda: client.folders.files.upload(folder.id, file=("a.txt", b"Hello.", "text/plain")),
    )
    check("not yet", problem.status_code, 501)
    check("nothing kept", list(client.folders.files.list(folder.id)), [])
    refused(
        "no file",
        letta_client.NotFoundError,
        lambda: client.folders.files.retrieve(f"file-{UNKNOWN}", folder_id=folder.id),
    )


def servers():
    config = {"mcp_server_type": "sse", "server_url": "https://mcp.example.com/sse", "auth_token": "s3cret"}
    server = client.mcp_servers.create(server_name="search", config=config)
    check("server", (server.mcp_server_type, server.server_name), ("sse", "search"))
    check("sealed", server.auth_token, "********")
    check("listed", [item.id for item in client.mcp_servers.list()], [server.id])
    changed = client.mcp_servers.update(server.id, server_name="find", config=config)
    check("renamed", (changed.server_name, changed.server_url), ("find", "https://mcp.example.com/sse"))
    check("retrieved", client.mcp_servers.retrieve(server.id).server_name, "find")
    check("no tools", client.mcp_servers.tools.list(server.id), [])
    problem = refused("refresh", letta_client.InternalServerError, lambda: client.mcp_servers.refresh(server.id))
    check("not yet", problem.status_code, 501)
    program = {"mcp_server_type": "stdio", "command": "sh", "args": []}
    refused(
        "program",
        letta_client.BadRequestError,
        lambda: client.mcp_servers.create(server_name="other", config=program),
    )
    check("delete", client.mcp_servers.delete(server.id), None)
    check("gone", client.mcp_servers.list(), [])


folder = folders()
if not IS_SMOKE:
    attached(folder)
    uploads(folder)
    servers()
finish()
