"""Load compiled loops from numba's cache without its compiler.

Before numba loads anything, it imports its compiler's whole library (and scipy, if that is
installed), compiles the functions that count references to arrays, reads the intermediate code
beside the machine code, in case that another loop is compiled around it, and imports the modules of
all functions that the loop was made of.  This takes longer than all other imports of a run, and
running machine code needs none of it.
"""

import pickle
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding
from numba.core import codegen, environment
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.runtime import nrt, rtsys

_KNOWN = numba.__version__.startswith("0.68.")
"""Whether numba stores loops as it did when this was written; if not, its own classes load them."""


class LoopCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a loop on disk."""

    def __init__(self, loop: Any) -> None:
        """Find the cache's files; nothing is read before the first call.

        Raises:
            RuntimeError: no folder can be written.
        """
        super().__init__(loop)
        if _KNOWN:
            self._impl = _MachineCode(loop)
            self._cache_file.__class__ = _Files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled loop for a signature; None if the cache does not have it."""
        target_context.refresh = (
            _define_runtime if _KNOWN else lambda: rtsys.initialize(target_context)
        )
        try:
            return super().load_overload(sig, target_context)
        finally:
            del target_context.refresh  # the method of the class, which compilation needs


def _define_runtime() -> None:
    """Tell LLVM where the functions are that manage the memory of arrays."""
    for name, address in nrt._nrt.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """The files of a loop, read without importing the modules that they name."""

    def _load_data(self, name: str) -> Any:
        return _Reader(BytesIO(Path(self._data_path(name)).read_bytes())).load()


class _Reader(pickle.Unpickler):
    """Reads a compiled loop."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what a name in a module stands for."""
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return _constants
        return super().find_class(module, name)


def _constants(module: str, constants: list[Any], name: str) -> Any:
    """Return the constants of a function that a loop was made of.

    Compiled code does not use the names of the function's module.
    """
    found = environment.lookup_environment(name)
    if found is None:
        names = sys.modules[module].__dict__ if module in sys.modules else {"__name__": module}
        found = environment.Environment(names)
        found.consts[:] = constants
        found.env_name = name
        environment.Environment._memo[name] = found
    return found


class _MachineCode(CompileResultCacheImpl):  # type: ignore[misc]
    """Makes a loop from its machine code."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return the compiled loop that has been read; numba has locked its compiler."""
        libraries = target_context.codegen()
        libraries._library_class = _Library
        try:
            return super().rebuild(target_context, payload)
        finally:
            del libraries._library_class


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The machine code of a loop, whose intermediate code is read if another loop needs it."""

    machine: bytes
    intermediate: bytes
    _shared_module: Any

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, kind, code = state
        if kind != "object":
            return super()._unserialize(codegen, state)
        library = codegen.create_library(name)
        library.machine, library.intermediate = code
        library.enable_object_caching()
        library._set_compiled_object(library.machine)
        library._finalize_final_module()
        return library

    def get_pointer_to_function(self, name: str) -> Any:
        """Return the address of a function; 0 if the library does not have it."""
        if name.encode() in self.machine:
            self._codegen._engine._defined_symbols.add(name)
        return super().get_pointer_to_function(name)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self.intermediate)
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return self._shared_module
