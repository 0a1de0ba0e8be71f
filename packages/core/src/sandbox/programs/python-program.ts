/**
 * Runs a Python program like an interactive shell: the value of the last expression is the result, and `await` is
 * allowed at the top level. It is itself the source of a tool; the program is passed as an argument and stays data.
 */
export const pythonProgram = `
import ast, asyncio, inspect, json, linecache, sys, traceback, types

FILE = "program.py"


class ToolError(RuntimeError):
    """A tool that failed, or that may not be called; it says why."""


def run_program(code, tools):
    module = types.ModuleType("__main__")
    module.__file__ = FILE
    module.ToolError = ToolError
    for name in tools:
        setattr(module, name, make_tool(name))
    sys.modules["__main__"] = module
    linecache.cache[FILE] = (len(code), None, code.splitlines(True), FILE)
    try:
        value = execute(code, module.__dict__)
        return {"value": value, "shown": None if value is None else repr(value)}
    except SystemExit as end:
        return {"value": None, "shown": None} if end.code in (None, 0) else report(end)
    except BaseException as error:
        return report(error)


def execute(code, scope):
    tree = ast.parse(code, FILE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    evaluate(compile(tree, FILE, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True), scope)
    if last is None:
        return None
    expression = ast.Expression(last.value)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return evaluate(compile(expression, FILE, "eval", flags=flags, dont_inherit=True), scope)


def evaluate(code, scope):
    value = eval(code, scope)
    return asyncio.run(value) if code.co_flags & inspect.CO_COROUTINE else value


def report(error):
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace))
    return {"error": {"name": type(error).__name__, "value": str(error), "traceback": text}}


def make_tool(name):
    def call(**arguments):
        return call_tool(name, arguments)

    call.__name__ = call.__qualname__ = name
    return call


def call_tool(name, arguments):
    if client is None:
        raise ToolError("tools cannot be called from code on this server, because it runs code without a sandbox")
    import urllib.request
    data = json.dumps({"tool": name, "args": arguments}).encode("ascii")
    headers = {"Authorization": "Bearer " + client.key, "Content-Type": "application/json"}
    request = urllib.request.Request(client.base + "/call", data=data, headers=headers, method="POST")
    with urllib.request.urlopen(request) as reply:
        answer = json.loads(reply.read())
    if "error" in answer:
        raise ToolError(answer["error"])
    return answer["value"]
`;
