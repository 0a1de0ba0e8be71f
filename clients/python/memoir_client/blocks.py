"""Changes of a block as one argument, `block_update=BlockUpdate(...)`, beside the single ones."""

from __future__ import annotations

from typing import Any, Optional

from letta_client.resources.blocks import AsyncBlocksResource, BlocksResource
from letta_client.types import BlockResponse

from .types import BlockUpdate


class Blocks(BlocksResource):
    def update(self, block_id: str, *, block_update: Optional[BlockUpdate] = None, **changes: Any) -> BlockResponse:
        return super().update(block_id, **{**(block_update or {}), **changes})


class AsyncBlocks(AsyncBlocksResource):
    async def update(
        self, block_id: str, *, block_update: Optional[BlockUpdate] = None, **changes: Any
    ) -> BlockResponse:
        return await super().update(block_id, **{**(block_update or {}), **changes})
