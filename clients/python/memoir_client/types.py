"""letta_client.types, with the names that requests had before. They make the fields of a request, as they did then."""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules

from letta_client import types as _current
from letta_client.types import *  # noqa: F403
from letta_client.types import BlockUpdateParams, CreateBlockParam, MessageCreateParam
from letta_client.types import agents as agents

BlockUpdate = BlockUpdateParams
CreateBlock = CreateBlockParam
MessageCreate = MessageCreateParam

# `from memoir_client.types.agents import TextContent` leads to the same classes as it does in letta_client.
for _module in iter_modules(_current.__path__):
    _found = import_module(f"{_current.__name__}.{_module.name}")
    sys.modules[f"{__name__}.{_module.name}"] = _found
    globals()[_module.name] = _found
