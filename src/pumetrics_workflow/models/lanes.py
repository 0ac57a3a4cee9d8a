"""Vectors of float32 numbers that pass through the same instructions, one per lane: types of numba's, their arithmetic.

The compiler's own vectorizer gives up on loops that keep many running sums, or else chooses their number of lanes, and
so the order of a sum, by the machine; here they stay in registers. What a lane computes depends neither on the other
lanes nor on the machine: a multiply-add is rounded once wherever it runs. Import it only where numba is installed.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

__all__ = [
    "add",
    "clamp",
    "divide",
    "load",
    "load_8",
    "multiply",
    "multiply_add",
    "spread",
    "spread_8",
    "spread_at",
    "store",
    "subtract",
    "total",
]


class _Lanes(types.Type):
    """The type of a vector."""

    def __init__(self, width):
        self.width = width
        super().__init__(f"Lanes{width}")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    """A vector lives in registers."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _vector(fe_type))


def _vector(lanes):
    return ir.VectorType(ir.FloatType(), lanes.width)


_16 = _Lanes(16)
_8 = _Lanes(8)


def _at(builder, address, index, kind):
    """Pointer to the value at an index counted in float32 numbers."""
    numbers = builder.inttoptr(address, ir.FloatType().as_pointer())
    return builder.bitcast(builder.gep(numbers, [index]), kind.as_pointer())


def _load(lanes):
    @intrinsic
    def load(typingctx, address, index):
        """Vector that begins `index` numbers behind the address of a float32 array."""

        def codegen(context, builder, signature, args):
            return builder.load(_at(builder, *args, _vector(lanes)), align=4)

        return lanes(types.intp, types.intp), codegen

    return load


load = _load(_16)
load_8 = _load(_8)


@intrinsic
def store(typingctx, address, index, value):
    """Write a vector `index` numbers behind the address of a float32 array."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _at(builder, *args[:2], args[2].type), align=4)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, value), codegen


def _everywhere(builder, number, lanes):
    empty = ir.Constant(_vector(lanes), ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    return _picked(builder, first, [0] * lanes.width)


def _picked(builder, vector, lanes):
    """The vector of some of a vector's lanes."""
    order = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), list(lanes))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), order)


def _spread(lanes):
    @intrinsic
    def spread(typingctx, number):
        """One number in all lanes."""

        def codegen(context, builder, signature, args):
            return _everywhere(builder, args[0], lanes)

        return lanes(types.float32), codegen

    return spread


spread = _spread(_16)
spread_8 = _spread(_8)


@intrinsic
def spread_at(typingctx, address, index):
    """The number at position `index` after the address of a float32 array, in all lanes."""

    def codegen(context, builder, signature, args):
        return _everywhere(builder, builder.load(_at(builder, *args, ir.FloatType())), _16)

    return _16(types.intp, types.intp), codegen


def _operation(instruction):
    """Lane by lane: an instruction of two operands."""

    @intrinsic
    def operation(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return getattr(builder, instruction)(*args)

        return a(a, b), codegen

    return operation


add, subtract, multiply, divide = (_operation(name) for name in ("fadd", "fsub", "fmul", "fdiv"))


def _call(builder, name, args):
    """Call one of LLVM's functions of vectors."""
    vector = args[0].type
    signature = ir.FunctionType(vector, [vector] * len(args))
    intrinsic_name = f"llvm.{name}.v{vector.count}f32"
    return builder.call(
        cgutils.get_or_insert_function(builder.module, signature, intrinsic_name), args
    )


@intrinsic
def multiply_add(typingctx, a, b, c):
    """a b + c, rounded once."""

    def codegen(context, builder, signature, args):
        return _call(builder, "fma", args)

    return a(a, b, c), codegen


@intrinsic
def clamp(typingctx, value, edge):
    """Value cut off at -edge and edge."""

    def codegen(context, builder, signature, args):
        value, edge = args
        return _call(
            builder, "maxnum", [_call(builder, "minnum", [value, edge]), builder.fneg(edge)]
        )

    return value(value, edge), codegen


@intrinsic
def total(typingctx, value):
    """Sum over the lanes: halves are added to each other until one number is left."""

    def codegen(context, builder, signature, args):
        (value,) = args
        while value.type.count > 2:
            half = value.type.count // 2
            low = _picked(builder, value, range(half))
            high = _picked(builder, value, range(half, 2 * half))
            value = builder.fadd(low, high)
        first, second = (
            builder.extract_element(value, ir.Constant(ir.IntType(32), lane)) for lane in (0, 1)
        )
        return builder.fadd(first, second)

    return types.float32(value), codegen
