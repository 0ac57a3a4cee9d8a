"""Sixteen float32 numbers that pass through the same instructions, one per lane: a type of numba's and its arithmetic.

The compiler's own vectoriser gives up on loops that keep many running sums; here they stay in registers. What a lane
computes depends neither on the other lanes nor on the machine: a multiply-add is rounded once wherever it runs.
Import it only where numba is installed.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

from pumetrics.models._lockstep_state import WIDTH

__all__ = ["add", "clamp", "divide", "load", "multiply", "multiply_add", "spread", "spread_at", "store", "subtract"]

_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)


class _Lanes(types.Type):
    """The type of a vector."""

    def __init__(self):
        super().__init__("Lanes")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    """A vector lives in registers."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _VECTOR)


_lanes = _Lanes()


def _at(builder, address, index, kind):
    """Pointer to what stands at an index counted in float32 numbers."""
    numbers = builder.inttoptr(address, ir.FloatType().as_pointer())
    return builder.bitcast(builder.gep(numbers, [index]), kind.as_pointer())


@intrinsic
def load(typingctx, address, index):
    """Vector that begins `index` numbers behind the address of a float32 array."""

    def codegen(context, builder, signature, args):
        return builder.load(_at(builder, *args, _VECTOR), align=4)

    return _lanes(types.intp, types.intp), codegen


@intrinsic
def store(typingctx, address, index, value):
    """Write a vector `index` numbers behind the address of a float32 array."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _at(builder, *args[:2], _VECTOR), align=4)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, _lanes), codegen


def _everywhere(builder, number):
    empty = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))


@intrinsic
def spread(typingctx, number):
    """One number in all lanes."""

    def codegen(context, builder, signature, args):
        return _everywhere(builder, args[0])

    return _lanes(types.float32), codegen


@intrinsic
def spread_at(typingctx, address, index):
    """The number that stands `index` numbers behind the address of a float32 array, in all lanes."""

    def codegen(context, builder, signature, args):
        return _everywhere(builder, builder.load(_at(builder, *args, ir.FloatType())))

    return _lanes(types.intp, types.intp), codegen


def _operation(instruction):
    """Lane by lane: an instruction of two operands."""

    @intrinsic
    def operation(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return getattr(builder, instruction)(*args)

        return _lanes(_lanes, _lanes), codegen

    return operation


add, subtract, multiply, divide = (_operation(name) for name in ("fadd", "fsub", "fmul", "fdiv"))


def _call(builder, name, args):
    """Call one of LLVM's functions of vectors."""
    signature = ir.FunctionType(_VECTOR, [_VECTOR] * len(args))
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, f"llvm.{name}.v{WIDTH}f32"), args)


@intrinsic
def multiply_add(typingctx, a, b, c):
    """a b + c, rounded once."""

    def codegen(context, builder, signature, args):
        return _call(builder, "fma", args)

    return _lanes(_lanes, _lanes, _lanes), codegen


@intrinsic
def clamp(typingctx, value, edge):
    """Value cut off at -edge and edge."""

    def codegen(context, builder, signature, args):
        value, edge = args
        return _call(builder, "maxnum", [_call(builder, "minnum", [value, edge]), builder.fneg(edge)])

    return _lanes(_lanes, _lanes), codegen
