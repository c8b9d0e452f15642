"""Inspection document of a script."""

import ast
import os
import warnings

from deployctl_reading import images, targets
from deployctl_reading.local_files import files_of, files_outside
from deployctl_reading.masking import mask_inspection, secrets_of
from deployctl_reading.problem import Problem
from deployctl_reading.reader import Reader
from deployctl_reading.values import Image, to_json
from deployctl_reading.variables import variables_of


def read_document(file, name, environment):
    """Returns the document of `deployctl inspect --json`. Raises Problem."""
    source = _read_source(file)
    tree = _parse(source, file)
    lines = _lines_of(source)
    reader = Reader(file, tree, environment)
    target = targets.choose(reader, name, file)
    document = {
        "schema": 1,
        "target": name if target is None else target.name,
        "kind": "function" if target is None else target.kind,
        "dialect": "none" if target is None else target.dialect,
        "line": 1 if target is None else target.line,
        "config": {},
        "dynamic": ["*"],
        "env_read": [],
        "stubbed": [],
        "warnings": [],
    }
    if target is not None:
        findings = targets.check(target, file, lines)
        reader.follow(target)
        _add_target(document, target, findings, reader.folder)
    document["executables"] = reader.commands.executables
    document["command"] = reader.commands.best()
    words = [word for command in reader.commands.lists for word in command]
    config = document["config"]
    modules = _texts(config.get("local_python_modules"))
    patterns = _texts(config.get("files") or config.get("app_files"))
    document["files"] = files_of(file, tree, words, patterns, modules)
    _warn_outside(document, tree, reader, words)
    _add_variables(document, tree, reader, lines)
    read = {one["name"]: environment.get(one["name"], "") for one in document["env_read"]}
    return mask_inspection(document, secrets_of(read))


def _add_target(document, target, findings, folder):
    config, dynamic = targets.config_of(target, findings.names)
    document["config"] = to_json(config)
    document["dynamic"] = dynamic
    if target.endpoints:
        document["endpoints"] = target.endpoints
    image = target.options.get("image")
    found = images.document_of(image, folder)
    if found is not None:
        document["image"] = found
    elif isinstance(image, Image):
        document["dynamic"].append("image")
    for code, sentence in findings.warnings + target.warnings:
        end = "" if sentence.endswith("?") else "."
        _warn(document, code, sentence + end, document["line"])
    _add_warnings(document)


def _add_warnings(document):
    """Warns about an assumed port, and about parts of an image without effect."""
    ports = ("exposed_port", "port", "serve", "*")
    known = list(document["config"]) + document["dynamic"]
    if document["kind"] == "function" and not any(one in known for one in ports):
        sentence = "%s does not name its port; assuming 8000." % document["target"]
        _warn(document, "port_assumed", sentence, document["line"])
    image = document.get("image", {})
    for name in image.get("secrets", []):
        sentence = (
            "The image's ENV %s looks like a secret and is ignored. Store it with `deployctl "
            "secrets set %s` and use --secret %s." % (name, name, name)
        )
        _warn(document, "secret_in_image", sentence, document["line"])
    lines = image.get("ignored", [])
    if lines and document["dialect"] == "modal":
        sentence = (
            "Images are not built. Their packages and variables apply; ignored: %s." % ", ".join(lines)
        )
        _warn(document, "image_ignored", sentence, document["line"])
    elif lines:
        sentence = (
            "Images are not built: only their variables apply, and %d other %s ignored"
            "." % (len(lines), "line is" if len(lines) == 1 else "lines are")
        )
        if image["pip"]:
            sentence += " Use --image-mode pip to install its packages: %s." % ", ".join(image["pip"])
        _warn(document, "image_ignored", sentence, document["line"])


def _add_variables(document, tree, reader, lines):
    """Lists the variables that the script and the modules beside it read, and warns about those
    that nothing sets or whose names are unknown.
    """
    _add_variables_of(document, tree, reader, lines, None)
    for name in document["files"][1:]:
        if not name.endswith(".py"):
            continue
        file = os.path.join(reader.folder, name)
        try:
            source = _read_source(file)
            module = _parse(source, file)
            of_module = Reader(file, module, reader.environment)
        except Problem:
            continue  # reported when the script imports it
        _warn_outside(document, module, of_module, [])
        _add_variables_of(document, module, of_module, _lines_of(source), name)


def _add_variables_of(document, tree, reader, lines, module):
    variables, unresolved = variables_of(tree, reader)
    known = [one["name"] for one in document["env_read"]]
    for one in variables:
        if one["name"] in known:
            continue
        if module is not None:
            one["file"] = module
        document["env_read"].append(one)
        if one.get("missing"):
            _warn_unset(document, one, os.path.basename(reader.file))
    for node in unresolved:
        text = lines[node.lineno - 1].strip()
        sentence = (
            "%s:%d reads environment variables whose names are unknown until it runs: %s. If the app "
            "needs them, pass each with --env NAME=VALUE."
            % (os.path.basename(reader.file), node.lineno, text if len(text) <= 80 else text[:79] + "…")
        )
        _warn(document, "variable_unresolved", sentence, node.lineno)


def _warn_outside(document, tree, reader, words):
    for name, line in files_outside(tree, reader, words):
        shown = os.path.relpath(name, reader.folder) if os.path.isabs(name) else name
        sentence = (
            "%s:%d refers to %s, which is outside the script's folder and is not deployed. Move it "
            "into that folder." % (os.path.basename(reader.file), line, shown)
        )
        _warn(document, "file_outside", sentence, line)


def _warn_unset(document, variable, file):
    name = variable["name"]
    advice = "Use --env %s=VALUE." % name
    if variable.get("secret"):
        advice = "Use --secret %s, after `deployctl secrets set %s=VALUE`." % (name, name)
    sentence = "%s:%d reads %s, which is not set. %s" % (file, variable["line"], name, advice)
    _warn(document, "variable_unset", sentence, variable["line"])
    document["warnings"][-1]["variable"] = name


def _warn(document, code, sentence, line):
    document["warnings"].append({"code": code, "sentence": sentence, "line": line})


def _texts(given):
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []


def _read_source(file):
    name = os.path.basename(file)
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except IsADirectoryError as error:
        raise Problem("script_missing", "%s is a folder." % file, "Name a Python file.") from error
    except OSError as error:
        raise Problem(
            "script_missing",
            "%s cannot be read: %s." % (name, (error.strerror or str(error)).lower()),
            "Check the path: %s." % file,
            file,
        ) from error


def _lines_of(source):
    return source.decode("utf-8", "replace").splitlines()


def _parse(source, file):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as invalid escapes, reported when the script runs
            return ast.parse(source, file)
    except SyntaxError as error:
        text = (error.text or "").strip() or None
        place = os.path.basename(file) + (":%d" % error.lineno if error.lineno else "")
        sentence = "%s: %s%s" % (place, error.msg, ": " + text if text else ".")
        raise Problem("syntax_error", sentence, None, file, error.lineno, text) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise Problem(
            "syntax_error", "%s is not a Python script: %s." % (os.path.basename(file), error), None, file
        ) from error
