"""Tools of MCP servers, by the server's name. Current clients have `mcp_servers`, which goes by ids."""

from __future__ import annotations

from typing import Any, Dict, List, Optional
from urllib.parse import quote

from letta_client import BaseModel
from letta_client.resources.tools import AsyncToolsResource, ToolsResource
from letta_client.types import Tool


class McpTool(BaseModel):
    """A tool as its MCP server describes it."""

    name: str
    description: Optional[str] = None
    inputSchema: Optional[Dict[str, Any]] = None


class Tools(ToolsResource):
    def list_mcp_tools_by_server(self, mcp_server_name: str) -> List[McpTool]:
        return self._client.get(_address(mcp_server_name, "tools"), cast_to=List[McpTool])

    def add_mcp_tool(self, mcp_server_name: str, mcp_tool_name: str) -> Tool:
        """Makes a tool of the server one that agents can have."""
        return self._client.post(_address(mcp_server_name, mcp_tool_name), cast_to=Tool)


class AsyncTools(AsyncToolsResource):
    async def list_mcp_tools_by_server(self, mcp_server_name: str) -> List[McpTool]:
        return await self._client.get(_address(mcp_server_name, "tools"), cast_to=List[McpTool])

    async def add_mcp_tool(self, mcp_server_name: str, mcp_tool_name: str) -> Tool:
        """Makes a tool of the server one that agents can have."""
        return await self._client.post(_address(mcp_server_name, mcp_tool_name), cast_to=Tool)


def _address(mcp_server_name: str, word: str) -> str:
    return f"/v1/tools/mcp/servers/{quote(mcp_server_name, safe='')}/{quote(word, safe='')}"
