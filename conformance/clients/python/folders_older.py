"""The last Python client of the older generation, 0.1.x, with sources, groups and MCP servers by name."""

from flow import BASE_URL, IS_SMOKE, UNKNOWN, check, finish, refused
from letta_client import Letta, RoundRobinManager, SseServerConfig
from letta_client.core.api_error import ApiError

client = Letta(base_url=BASE_URL)
agent = client.agents.create(model="memoir/demo", include_base_tools=False).id


def sources():
    source = client.sources.create(name="docs", description="d")
    check("created", (source.name, source.description, source.vector_db_provider), ("docs", "d", "native"))
    check("retrieved", client.sources.retrieve(source_id=source.id).name, "docs")
    check("modified", client.sources.modify(source_id=source.id, instructions="read").instructions, "read")
    check("listed", [item.id for item in client.sources.list()], [source.id])
    check("counted", client.sources.count(), 1)
    check("by name", client.sources.retrieve_by_name(source_name="docs"), source.id)
    check("measured", client.sources.get_sources_metadata().total_sources, 1)
    problem = refused("name taken", ApiError, lambda: client.sources.create(name="docs"))
    check("conflict", problem.status_code, 409)
    return source


def attached(source):
    state = client.agents.sources.attach(agent_id=agent, source_id=source.id)
    check("attach", [item.id for item in state.sources], [source.id])
    check("tools", sorted(tool.name for tool in state.tools), ["grep_files", "open_files", "semantic_search_files"])
    check("attached", [item.id for item in client.agents.sources.list(agent_id=agent)], [source.id])
    check("who", client.sources.get_agents_for_source(source_id=source.id), [agent])
    check("no files", client.sources.files.list(source_id=source.id), [])
    check("no passages", client.sources.passages.list(source_id=source.id), [])
    state = client.agents.sources.detach(agent_id=agent, source_id=source.id)
    check("detach", (state.sources, state.tools), ([], []))
    client.sources.delete(source_id=source.id)
    problem = refused("gone", ApiError, lambda: client.sources.retrieve(source_id=source.id))
    check("not found", problem.status_code, 404)


def groups():
    manager = RoundRobinManager(max_turns=3)
    group = client.groups.create(agent_ids=[agent], description="alone", manager_config=manager)
    check("group", (group.manager_type, group.max_turns, group.agent_ids), ("round_robin", 3, [agent]))
    check("retrieved", client.groups.retrieve(group_id=group.id).description, "alone")
    check("listed", [item.id for item in client.groups.list()], [group.id])
    check("counted", client.groups.count(), 1)
    check("modified", client.groups.modify(group_id=group.id, description="still").description, "still")
    check("said", client.groups.messages.list(group_id=group.id), [])
    client.groups.messages.reset(group_id=group.id)
    client.groups.delete(group_id=group.id)
    problem = refused("gone", ApiError, lambda: client.groups.retrieve(group_id=group.id))
    check("not found", problem.status_code, 404)


def servers():
    config = SseServerConfig(server_name="search", server_url="https://mcp.example.com/sse", auth_token="s3cret")
    check("added", [item.server_name for item in client.tools.add_mcp_server(request=config)], ["search"])
    check("by name", list(client.tools.list_mcp_servers()), ["search"])
    problem = refused("tools", ApiError, lambda: client.tools.list_mcp_tools_by_server(mcp_server_name="search"))
    check("not yet", problem.status_code, 501)
    problem = refused("unknown", ApiError, lambda: client.tools.list_mcp_tools_by_server(mcp_server_name=UNKNOWN))
    check("not found", problem.status_code, 404)
    check("deleted", client.tools.delete_mcp_server(mcp_server_name="search"), [])


source = sources()
if not IS_SMOKE:
    attached(source)
    groups()
    servers()
finish()
