"""Writes the generated half of the client, `operations.py` and `types.py`, from Busbar's own description, `openapi.json`."""

import json
import keyword
import re
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DESCRIPTION = HERE / "../../openapi.json"
PACKAGE = HERE / "src/busbar_client"
NOTICE = "# Written by generate.py. Do not edit.\n"
# The client fills it in; see `_project`.
PROJECT = "projectIdOrName"
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def snake(name: str) -> str:
    """Returns a name as Python spells it: `listJWTKeys` as `list_jwt_keys`, `If-None-Match` as `if_none_match`."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", lambda m: "_".join(filter(None, m.groups())), name)
    plain = re.sub(r"\W+", "_", spaced).strip("_").lower()
    return plain + "_" if keyword.iskeyword(plain) else plain


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W+", name))


class Types:
    """Collects the types of `types.py`. An object inside another gets a name of its own: `Group` has `GroupHealth`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: set[str] = set()

    def annotate(self, schema: dict[str, Any], name: str) -> str:
        """Returns the annotation of a schema; `name` is for what it has to define."""
        if "$ref" in schema:
            return pascal(schema["$ref"].rsplit("/", 1)[1])
        if "const" in schema or "enum" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return f"Literal[{', '.join(map(repr, values))}]"
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                each = [self.annotate(one, f"{name}{index}") for index, one in enumerate(schema[choice], 1)]
                return f"Union[{', '.join(dict.fromkeys(each))}]"
        kind = schema.get("type")
        if isinstance(kind, list):
            return f"Union[{', '.join(self.annotate({**schema, 'type': one}, name) for one in kind)}]"
        if kind == "array":
            return f"list[{self.annotate(schema.get('items', {}), name + 'Item')}]"
        if kind == "object":
            return self.define_object(schema, name) if schema.get("properties") else self.map_values(schema, name)
        return SCALARS.get(kind or "", "Any")

    def map_values(self, schema: dict[str, Any], name: str) -> str:
        values = schema.get("additionalProperties")
        return f"dict[str, {self.annotate(values, name + 'Value') if isinstance(values, dict) else 'Any'}]"

    def define_object(self, schema: dict[str, Any], name: str) -> str:
        """Defines a TypedDict, by the functional form because members may have names that Python has not, and returns its name."""
        while name in self.names:
            name += "_"
        self.names.add(name)
        required = schema.get("required", [])
        members = []
        for member, value in schema["properties"].items():
            hint = self.annotate(value, name + pascal(member))
            members.append(f'    "{member}": {json.dumps(hint if member in required else f"NotRequired[{hint}]")},\n')
        self.lines.append(f'{name} = TypedDict("{name}", {{\n{"".join(members)}}})\n\n')
        return name

    def define(self, schema: dict[str, Any], name: str) -> None:
        """Defines a named schema."""
        hint = self.annotate(schema, name)
        if hint != name:
            self.names.add(name)
            self.lines.append(f"{name}: TypeAlias = {json.dumps(hint)}\n\n")


def write_types(description: dict[str, Any]) -> Types:
    types = Types()
    for name, schema in description["components"]["schemas"].items():
        types.define(schema, pascal(name))
    bodies = [each["post"]["requestBody"]["content"]["application/json"] for each in description["webhooks"].values()]
    messages = dict.fromkeys(types.annotate(body["schema"], "Message") for body in bodies)
    types.lines.append(f"Message: TypeAlias = {json.dumps('Union[' + ', '.join(messages) + ']')}\n")
    return types


def operation(method: str, path: str, described: dict[str, Any], types: Types) -> tuple[str, str]:
    """Returns the signature and the body of one operation's method."""
    parameters = described.get("parameters", [])
    where = {place: [p for p in parameters if p["in"] == place] for place in ("path", "query", "header")}
    named = pascal(described["operationId"])
    positional = [f"{snake(p['name'])}: str" for p in where["path"] if p["name"] != PROJECT]
    keywords = [
        (p, f"{snake(p['name'])}: {types.annotate(p['schema'], named + pascal(p['name']))}")
        for p in where["query"] + where["header"]
    ]
    call = [f'"{method.upper()}"', write_path(path)]
    body = described.get("requestBody")
    if body:
        media = next(iter(body["content"]))
        is_json = media == "application/json"
        hint = types.annotate(body["content"][media]["schema"], named + "Body") if is_json else "bytes"
        positional.append(f"body: {hint}" if body.get("required") else f"body: {hint} | None = None")
        call.append("json=body" if is_json else "content=body")
    options = [text if p.get("required") else f"{text} | None = None" for p, text in keywords]
    if any(p["name"] == PROJECT for p in where["path"]):
        options.append("project: str | None = None")
    for argument, place in (("params", "query"), ("headers", "header")):
        if where[place]:
            pairs = ", ".join(f'"{p["name"]}": {snake(p["name"])}' for p in where[place])
            call.append(f"{argument}={{{pairs}}}")
    signature = ", ".join(["self", *positional, *(["*", *options] if options else [])])
    return f"{snake(described['operationId'])}({signature}) -> {answer(described, named, types)}", ", ".join(call)


def write_path(path: str) -> str:
    """Returns the path as an f-string that fills its parameters in."""
    filled = path.replace(f"{{{PROJECT}}}", "{self._project(project)}")
    return 'f"' + re.sub(r"\{(\w+)\}", lambda m: f"{{quote({snake(m[1])}, safe='')}}", filled) + '"'


def answer(described: dict[str, Any], named: str, types: Types) -> str:
    """Returns the annotation of what a success answers: of JSON its type, of other content the text."""
    hints = []
    for status, response in described["responses"].items():
        if status.startswith("2"):
            content = response.get("content", {})
            is_json = "application/json" in content
            schema = content["application/json"]["schema"] if is_json else {}
            hints.append(types.annotate(schema, named + "Answer") if is_json else "str" if content else "None")
    return " | ".join(dict.fromkeys(hints)) or "None"


def write_operations(description: dict[str, Any], types: Types) -> str:
    methods: dict[str, list[str]] = {"": [], "async ": []}
    for path, item in description["paths"].items():
        for method, described in item.items():
            signature, call = operation(method, path, described, types)
            said = f"{described['summary']}. {described.get('description', '')}".strip()
            text = said.replace("\\", "\\\\").replace('"""', "'''")
            paragraphs = [textwrap.fill(each, 108) for each in text.split("\n\n")]
            doc = textwrap.indent("\n\n".join(paragraphs), " " * 8).strip()
            for form, lines in methods.items():
                wait = "await " if form else ""
                lines.append(f'    {form}def {signature}:\n        """{doc}\n        """\n')
                lines.append(f"        return {wait}self._call({call})\n\n")
    head = NOTICE + "from typing import Any, Literal, Union\nfrom urllib.parse import quote\n\nfrom .types import *\n\n\n"
    classes = []
    for form, name in (("", "Operations"), ("async ", "AsyncOperations")):
        stubs = (
            "    def _project(self, project: str | None) -> str:\n        raise NotImplementedError\n\n"
            f"    {form}def _call(self, method: str, path: str, *, json: Any = None, content: bytes | None = None,\n"
            "        params: dict[str, Any] | None = None, headers: dict[str, Any] | None = None) -> Any:\n"
            "        raise NotImplementedError\n\n"
        )
        classes.append(f'class {name}:\n    """Every operation of the API."""\n\n{stubs}{"".join(methods[form])}')
    return head + "\n\n".join(classes)


def main() -> None:
    description = json.loads(DESCRIPTION.read_text("utf8"))
    types = write_types(description)
    operations = write_operations(description, types)
    head = NOTICE + "from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union\n\n"
    exported = f"__all__ = {json.dumps(sorted({*types.names, 'Message'}))}\n"
    (PACKAGE / "types.py").write_text(head + "".join(types.lines) + exported, "utf8")
    (PACKAGE / "operations.py").write_text(operations, "utf8")


if __name__ == "__main__":
    main()
