/* What becomes of cells and rows by themselves, where numpy would go over them several times: no sum over records is made
   here, and no decision.  Every number is the one that numpy gives in the same steps, to the last bit, but for the order
   in which a row's squares are added.

   Multiplications are never fused with additions (-ffp-contract=off), so digits are the same on every processor. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#if !defined(ONE_PROCESSOR) && defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define EVERY_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EVERY_PROCESSOR
#endif
#define ALWAYS static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
enum { TILE = 1024, TOGETHER = 4, LANES = 4 };

/* Where a number lies along its scale, −1 at the low bound and 1 at the high one, times a weight; what is missing has a
   place of its own. */
typedef struct { double middle, slope, fill, weight; } Line;

/* Step by step over a few numbers that stay at hand: compilers make vectors of each loop, and none of all in one. */
ALWAYS void settle(Line line, Py_ssize_t count, double *to)
{
    for (Py_ssize_t i = 0; i < count; i++)
        to[i] = to[i] < -1.0 ? -1.0 : to[i];
    for (Py_ssize_t i = 0; i < count; i++)
        to[i] = to[i] > 1.0 ? 1.0 : to[i];
    for (Py_ssize_t i = 0; i < count; i++)
        to[i] = (to[i] == to[i] ? to[i] : line.fill) * line.weight;
}

EVERY_PROCESSOR
static void place_singles(const float *restrict from, Line line, Py_ssize_t count, double *restrict to)
{
    for (Py_ssize_t first = 0; first < count; first += TILE) {
        Py_ssize_t few = count - first < TILE ? count - first : TILE;
        for (Py_ssize_t i = 0; i < few; i++)
            to[first + i] = ((double)from[first + i] - line.middle) * line.slope;
        settle(line, few, to + first);
    }
}

EVERY_PROCESSOR
static void place_doubles(const double *restrict from, Line line, Py_ssize_t count, double *restrict to)
{
    for (Py_ssize_t first = 0; first < count; first += TILE) {
        Py_ssize_t few = count - first < TILE ? count - first : TILE;
        for (Py_ssize_t i = 0; i < few; i++)
            to[first + i] = (from[first + i] - line.middle) * line.slope;
        settle(line, few, to + first);
    }
}

/* The sum of squares of each row of a table that lies column after column, some rows at a time while they are at hand. */
EVERY_PROCESSOR
static void square_columns(const double *columns, Py_ssize_t stride, Py_ssize_t width, Py_ssize_t rows, double *restrict squares)
{
    for (Py_ssize_t first = 0; first < rows; first += TILE) {
        Py_ssize_t count = rows - first < TILE ? rows - first : TILE, j = 0;
        double *restrict sum = squares + first;
        memset(sum, 0, (size_t)count * sizeof(double));
        for (; j + TOGETHER <= width; j += TOGETHER) {
            const double *a = columns + j * stride + first, *b = a + stride, *c = b + stride, *d = c + stride;
            for (Py_ssize_t i = 0; i < count; i++)
                sum[i] = (((sum[i] + a[i] * a[i]) + b[i] * b[i]) + c[i] * c[i]) + d[i] * d[i];
        }
        for (; j < width; j++) {
            const double *a = columns + j * stride + first;
            for (Py_ssize_t i = 0; i < count; i++)
                sum[i] += a[i] * a[i];
        }
    }
}

ALWAYS double added(const lanes *s)
{
    return ((*s)[0] + (*s)[1]) + ((*s)[2] + (*s)[3]);
}

/* Each row's product with w and its sum of squares.  Somebody may write to the rows meanwhile, and a product must be of the
   row that was measured: every number is read exactly once, which is what volatile says. */
EVERY_PROCESSOR
static void measure(const char *rows, Py_ssize_t stride, Py_ssize_t count, Py_ssize_t width, const double *w,
                    double *restrict products, double *restrict squares)
{
    for (Py_ssize_t i = 0; i < count; i++, rows += stride) {
        const volatile double *from = (const volatile double *)rows;
        lanes product = {0}, square = {0};
        Py_ssize_t j = 0;
        for (; j + LANES <= width; j += LANES) {
            lanes x = *(const volatile lanes *)(from + j);
            product += x * *(const lanes *)(w + j);
            square += x * x;
        }
        double total = added(&product), length = added(&square);
        for (; j < width; j++) {
            double x = from[j];
            total += x * w[j];
            length += x * x;
        }
        products[i] = total;
        squares[i] = length;
    }
}

/* Rows longer than `stays` are brought to `lands`; the others are multiplied by one.  `norms` are used up.  Which rows are
   long cannot be foreseen, and a processor that guesses is slow. */
EVERY_PROCESSOR
static void bring(double *restrict rows, Py_ssize_t count, Py_ssize_t width, double stays, double lands, double *restrict norms)
{
    for (Py_ssize_t i = 0; i < count; i++)
        norms[i] = norms[i] > stays ? norms[i] : lands;
    for (Py_ssize_t i = 0; i < count; i++)
        norms[i] = lands / norms[i];
    for (Py_ssize_t i = 0; i < count; i++, rows += width)
        for (Py_ssize_t j = 0; j < width; j++)
            rows[j] *= norms[i];
}

/* A curve in pieces at each number.  Its leading bits tell which piece: a middle, and the coefficients of powers of what a
   number differs from it, the highest first.  0 where a number has no piece: nothing is read outside them. */
ALWAYS int at_pieces(const double *restrict from, Py_ssize_t count, const double *restrict pieces, Py_ssize_t many, Py_ssize_t width,
                     int64_t first, int shift, double *restrict to)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t bits;
        memcpy(&bits, from + i, sizeof bits);
        uint64_t place = (uint64_t)((bits >> shift) - first);
        if (place >= (uint64_t)many)
            return 0;
        const double *piece = pieces + (Py_ssize_t)place * width;
        double apart = from[i] - piece[0], found = piece[1];
        for (Py_ssize_t k = 2; k < width; k++)
            found = found * apart + piece[k];
        to[i] = found;
    }
    return 1;
}

EVERY_PROCESSOR
static int follow(const double *restrict from, Py_ssize_t count, const double *restrict pieces, Py_ssize_t many, Py_ssize_t width,
                  int64_t first, int shift, double *restrict to)
{
    return width == 8 ? at_pieces(from, count, pieces, many, 8, first, shift, to) /* a quarter quicker, of known length */
                      : at_pieces(from, count, pieces, many, width, first, shift, to);
}

/* From here on: arrays as Python hands them over, checked. */

/* The letter of an array's kind, behind a mark of this machine's order where there is one; 0 for any other format. */
static char kind_of(const Py_buffer *view)
{
    const uint16_t one = 1;
    const char *format = view->format ? view->format : "B", own = *(const char *)&one ? '<' : '>';
    if (*format == '@' || *format == '=' || *format == own)
        format++;
    return *format && !format[1] ? *format : 0;
}

static int plain(const Py_buffer *view, const char *kinds)
{
    char kind = kind_of(view);
    return kind && strchr(kinds, kind) && !((uintptr_t)view->buf % (uintptr_t)view->itemsize);
}

/* A flat array of doubles in one piece to write to; an error and 0 where it is none. */
static int room(PyObject *given, Py_ssize_t length, Py_buffer *view)
{
    if (PyObject_GetBuffer(given, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE))
        return 0;
    if (view->ndim == 1 && plain(view, "d") && view->shape[0] == length)
        return 1;
    PyBuffer_Release(view);
    PyErr_SetString(PyExc_TypeError, "cells: there is no room of the right kind and length to write to");
    return 0;
}

/* False where an array is of another kind or shape, lies in pieces or at an odd byte: then nothing was done. */
static PyObject *answer(int found)
{
    return PyErr_Occurred() ? NULL : PyBool_FromLong(found);
}

/* Rows of doubles, each in one piece. */
static int in_rows(const Py_buffer *table)
{
    return table->ndim == 2 && plain(table, "d") && table->strides[1] == table->itemsize && table->strides[0] >= 0
        && !(table->strides[0] % table->itemsize);
}

static PyObject *place(PyObject *self, PyObject *args)
{
    PyObject *values, *out;
    Line line;
    Py_buffer from, to;
    int found = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OddddO", &values, &line.middle, &line.slope, &line.fill, &line.weight, &out)
        || PyObject_GetBuffer(values, &from, PyBUF_FORMAT | PyBUF_STRIDES))
        return NULL;
    if (from.ndim == 1 && plain(&from, "df") && PyBuffer_IsContiguous(&from, 'C') && room(out, from.shape[0], &to)) {
        Py_BEGIN_ALLOW_THREADS
        if (kind_of(&from) == 'f')
            place_singles(from.buf, line, to.shape[0], to.buf);
        else
            place_doubles(from.buf, line, to.shape[0], to.buf);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&to);
        found = 1;
    }
    PyBuffer_Release(&from);
    return answer(found);
}

static PyObject *squares(PyObject *self, PyObject *args)
{
    PyObject *columns, *out;
    Py_buffer table, to;
    int found = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &columns, &out) || PyObject_GetBuffer(columns, &table, PyBUF_FORMAT | PyBUF_STRIDES))
        return NULL;
    if (in_rows(&table) && room(out, table.shape[1], &to)) {
        Py_BEGIN_ALLOW_THREADS
        square_columns(table.buf, table.strides[0] / table.itemsize, table.shape[0], table.shape[1], to.buf);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&to);
        found = 1;
    }
    PyBuffer_Release(&table);
    return answer(found);
}

static PyObject *products(PyObject *self, PyObject *args)
{
    PyObject *rows, *coefficients, *scores, *lengths;
    Py_buffer table, w, to, squared;
    int found = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO", &rows, &coefficients, &scores, &lengths)
        || PyObject_GetBuffer(rows, &table, PyBUF_FORMAT | PyBUF_STRIDES))
        return NULL;
    if (!in_rows(&table) || PyObject_GetBuffer(coefficients, &w, PyBUF_FORMAT | PyBUF_STRIDES))
        goto table;
    if (w.ndim != 1 || !plain(&w, "d") || !PyBuffer_IsContiguous(&w, 'C') || w.shape[0] != table.shape[1]
        || !room(scores, table.shape[0], &to))
        goto w;
    if (room(lengths, table.shape[0], &squared)) {
        Py_BEGIN_ALLOW_THREADS
        measure(table.buf, table.strides[0], table.shape[0], table.shape[1], w.buf, to.buf, squared.buf);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&squared);
        found = 1;
    }
    PyBuffer_Release(&to);
w:
    PyBuffer_Release(&w);
table:
    PyBuffer_Release(&table);
    return answer(found);
}

static PyObject *shorten(PyObject *self, PyObject *args)
{
    PyObject *rows, *lengths;
    Py_buffer table, norms;
    double stays, lands;
    int found = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOdd", &rows, &lengths, &stays, &lands)
        || PyObject_GetBuffer(rows, &table, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE))
        return NULL;
    if (in_rows(&table) && PyBuffer_IsContiguous(&table, 'C') && room(lengths, table.shape[0], &norms)) {
        Py_BEGIN_ALLOW_THREADS
        bring(table.buf, table.shape[0], table.shape[1], stays, lands, norms.buf);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&norms);
        found = 1;
    }
    PyBuffer_Release(&table);
    return answer(found);
}

static PyObject *curve(PyObject *self, PyObject *args)
{
    PyObject *values, *pieces, *out;
    Py_buffer from, table, to;
    long long first;
    int shift, found = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOLiO", &values, &pieces, &first, &shift, &out)
        || PyObject_GetBuffer(values, &from, PyBUF_FORMAT | PyBUF_STRIDES))
        return NULL;
    if (from.ndim != 1 || !plain(&from, "d") || !PyBuffer_IsContiguous(&from, 'C') || shift < 0 || shift > 63
        || PyObject_GetBuffer(pieces, &table, PyBUF_FORMAT | PyBUF_STRIDES))
        goto from;
    if (in_rows(&table) && PyBuffer_IsContiguous(&table, 'C') && table.shape[1] > 1 && room(out, from.shape[0], &to)) {
        Py_BEGIN_ALLOW_THREADS
        found = follow(from.buf, from.shape[0], table.buf, table.shape[0], table.shape[1], first, shift, to.buf);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&to);
    }
    PyBuffer_Release(&table);
from:
    PyBuffer_Release(&from);
    return answer(found);
}

static PyMethodDef methods[] = {
    {"curve", curve, METH_VARARGS, "A curve in pieces at each number."},
    {"place", place, METH_VARARGS, "Numbers along their scale, within -1 and 1, times a weight."},
    {"products", products, METH_VARARGS, "Each row's product with coefficients, and its sum of squares, of one reading."},
    {"shorten", shorten, METH_VARARGS, "Rows of these lengths brought within a bound, in place."},
    {"squares", squares, METH_VARARGS, "The sum of squares of each row of a table that lies column after column."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_cells", "What becomes of cells and rows by themselves.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__cells(void)
{
    return PyModule_Create(&module);
}
