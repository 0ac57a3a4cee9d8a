"""The code a stage depends on, as a hash: Snakemake watches scripts, but not the library they call.

A stage depends on every file of ours that its script can execute or read: the modules it imports, wherever the import
stands, and the packages around them; the modules it names in strings, because `importlib.import_module` takes strings;
and the data files, or folders of them, that those modules name, such as a schema or a template. A name that is
complete only when the job runs stands for all it can be: ``f"pumetrics.models._rprop_{engine}"`` for every such module.
"""

import ast
import hashlib
import re
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path

__all__ = ["PACKAGES", "Sources", "code_hash", "files_behind", "source_hash"]

PACKAGES = ("pumetrics", "pumetrics_workflow", "snakemake_logger_plugin_pumetrics")

_DOTTED = re.compile(r"[A-Za-z_*][\w*]*(\.[\w*]+)*\.?")  # a dotted name in which * stands for what is put in
_FIELDS = re.compile(r"\{[^{}]*\}|%s")  # places of str.format and %
_WORDS = re.compile(r"[\w./-]+")
_SCOPES = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Sources:
    """The files of some packages, and which of them refer to which.

    Parameters
    ----------
    folder : path-like
        Where the packages are.
    packages : iterable of str
        Their names.
    """

    def __init__(self, folder, packages=PACKAGES):
        self.folder, self.packages = Path(folder).resolve(), tuple(packages)
        self._trees, self._contents, self._references = {}, {}, {}
        self._opened = set()

    @cached_property
    def files(self):
        """All files of the packages, sorted, without what Python compiles."""
        paths = (path for package in self.packages for path in self.folder.joinpath(package).rglob("*"))
        return sorted(path for path in paths if path.is_file() and path.parent.name != "__pycache__")

    def behind(self, *starts):
        """Return the files that Python files can execute or read, directly or not, as a set.

        A start counts itself if it belongs to the packages.
        """
        starts = [Path(start).resolve() for start in starts]
        reached, queue = set(), [path for path in starts if path in self._known]
        queue += [path for start in starts if start not in self._known for path in self._references_of(start)]
        while queue:
            path = queue.pop()
            if path not in reached:
                reached.add(path)
                queue += self._references_of(path)
        return reached

    def hash(self, paths):
        """Hash names and contents of files, twelve hexadecimal digits; comments and docstrings do not count."""
        digest = hashlib.sha256()
        for path in sorted(paths):
            content = self._content(path)
            digest.update(f"{path.relative_to(self.folder).as_posix()} {len(content)} ".encode() + content)
        return digest.hexdigest()[:12]

    @cached_property
    def _known(self):
        return frozenset(self.files)

    @cached_property
    def _modules(self):
        """Files of modules and packages by dotted name."""
        names = {}
        for path in self.files:
            if path.suffix == ".py":
                parts = path.relative_to(self.folder).with_suffix("").parts
                names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return names

    @cached_property
    def _data(self):
        """Files that are not modules, by their names without folders, and by the name of a folder of data."""
        names = {}
        for path in self.files:
            if path.suffix != ".py":
                names.setdefault(path.name, []).append(path)
                if path.parent / "__init__.py" not in self._known:
                    names.setdefault(path.parent.name, []).append(path)
        return names

    def _content(self, path):
        if path not in self._contents:
            code = path.suffix == ".py"
            self._contents[path] = ast.dump(self._tree(path)).encode() if code else path.read_bytes()
        return self._contents[path]

    def _tree(self, path):
        """Return the syntax tree of a file without docstrings."""
        if path not in self._trees:
            tree = ast.parse(path.read_bytes(), str(path))
            for node in ast.walk(tree):
                if isinstance(node, _SCOPES) and ast.get_docstring(node, clean=False) is not None:
                    node.body = node.body[1:]
            self._trees[path] = tree
        return self._trees[path]

    def _references_of(self, path):
        if path not in self._references:
            references = self._of_code(path) if path.suffix == ".py" else self._of_text(path)
            self._references[path] = frozenset(references)
        return self._references[path]

    def _of_code(self, path):
        """Files that a Python file imports or names.

        What a module-level ``__getattr__`` loads counts for those who ask the module for such a name, not for those
        who import a module below it.
        """
        return self._of_nodes((node for node in self._tree(path).body if not _is_getattr(node)), path)

    def _lazy(self, name):
        """Files that the ``__getattr__`` of a module imports or names."""
        path = self._modules.get(name)
        if path in self._opened or path is None:
            return
        self._opened.add(path)
        try:
            yield from self._of_nodes(filter(_is_getattr, self._tree(path).body), path)
        finally:
            self._opened.discard(path)

    def _of_nodes(self, nodes, path):
        package = self._package_of(path)
        for node in (inner for outer in nodes for inner in ast.walk(outer)):
            match node:
                case ast.Import(names=names):
                    for alias in names:
                        yield from self._imported(alias.name)
                        yield from self._lazy(alias.name)
                case ast.ImportFrom(module=module, names=names, level=level):
                    base = ".".join(filter(None, [_parent(package, level), module]))
                    for alias in names:
                        yield from self._imported(f"{base}.{alias.name}")
                        if f"{base}.{alias.name}" not in self._modules:
                            yield from self._lazy(base)
                case ast.Call(
                    func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"), args=[first, *_]
                ):
                    text = _text(first, package)
                    dots = len(text) - len(text.lstrip("."))
                    if dots:  # relative to the package
                        yield from self._named(f"{_parent(package, dots)}.{text[dots:]}", path)
                case ast.JoinedStr() | ast.Constant(value=str()):
                    yield from self._named(_text(node, package), path)

    def _of_text(self, path):
        """Files that a data file names, for example a template that includes another one."""
        for word in _WORDS.findall(path.read_bytes().decode("utf-8", errors="ignore")):
            yield from self._named(word, path)

    def _package_of(self, path):
        """Name of the package around a file; nothing for a script."""
        if path not in self._known:
            return ""
        return ".".join(path.relative_to(self.folder).parent.parts)

    def _imported(self, name):
        """Files that Python executes to import a dotted name: the packages around a module, and the module."""
        parts = name.split(".")
        names = (".".join(parts[: depth + 1]) for depth in range(len(parts)))
        return [self._modules[name] for name in names if name in self._modules]

    def _named(self, text, path):
        """Files that a string in a file can mean, as a module or as a data file."""
        last = text.rsplit("/", 1)[-1]
        if last in self._data:
            beside = [file for file in self._data[last] if path.parent in file.parents]
            yield from beside or self._data[last]
        elif "*" in last:
            beside = (file for files in self._data.values() for file in files if file.parent == path.parent)
            yield from (file for file in beside if fnmatchcase(file.name, last))
        name = text.partition(":")[0]  # "package.module:object"
        package, dot, _ = name.partition(".")
        if dot and package in self.packages and _DOTTED.fullmatch(name):
            yield from self._imported(name.partition("*")[0])
            for module in self._modules:
                if fnmatchcase(module, name) or (name not in self._modules and module.startswith(name)):
                    yield from self._imported(module)


def _is_getattr(node):
    return isinstance(node, ast.FunctionDef) and node.name == "__getattr__"


def _parent(package, level):
    """Package that an import of so many leading dots begins at."""
    parts = package.split(".")
    return ".".join(parts[: len(parts) - level + 1]) if level else ""


def _text(node, package):
    """Return a string of the code with * for each part that is put in when it runs."""
    match node:
        case ast.Constant(value=str(text)):
            return _FIELDS.sub("*", text)
        case ast.JoinedStr(values=values):
            return "".join(_text(value, package) for value in values)
        case ast.FormattedValue(value=ast.Name(id="__package__")):
            return package
    return "*"


_OURS = Sources(Path(__file__).parents[1])


def files_behind(*starts):
    """Return the files of ours that Python files can execute or read, directly or not, as a set of paths.

    Parameters
    ----------
    *starts : path-like
        Python files, for example a rule's script.
    """
    return _OURS.behind(*starts)


@cache
def code_hash(*starts):
    """Hash the files that :func:`files_behind` returns; comments and docstrings do not count.

    Parameters
    ----------
    *starts : path-like
        Python files, for example a rule's script.

    Returns
    -------
    str
        Twelve hexadecimal digits.
    """
    return _OURS.hash(_OURS.behind(*starts))


@cache
def source_hash():
    """Hash all files of our packages, whatever uses them; comments and docstrings do not count."""
    return _OURS.hash(_OURS.files)
