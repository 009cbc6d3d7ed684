/* One pass over the records: scores, what a loss makes of them, and the sum of rows by it, each row read once.

   Nothing here decides anything about privacy: rows come clipped or with the two numbers by which long ones are
   shortened, with what each record counts, and with the height of the groups in which they are summed (docs/proofs/certificates.md, section 3).
   What numpy does in several calls for each block is done here in one, outside Python's lock.  Dense rows may be
   somebody else's, who writes to them meanwhile; all other arrays must be our own, to which nobody does.

   Sums are written lane by lane and multiplications are never fused with additions (-ffp-contract=off), so that a
   result has the same digits on every processor. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if !defined(ONE_PROCESSOR) && defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define EVERY_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EVERY_PROCESSOR
#endif
#define ALWAYS static inline __attribute__((always_inline))

/* Sums have eight lanes everywhere, held in vectors that the processor has: compilers make of wider ones what goes through
   memory number by number.  WIDTH is how many doubles one of them has; sums are the same for each. */
#ifndef WIDTH
#if defined(__x86_64__)
#define WIDTH 4
#else
#define WIDTH 2
#endif
#endif
typedef double lanes __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef int64_t whole_lanes __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef float half_lanes __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
typedef double couple __attribute__((vector_size(16), aligned(8), may_alias));
enum { LANES = 8, PARTS = LANES / WIDTH, TOGETHER = 8, RUN = 4096, TILE = 2048, FEW = 16, MANY = 64, CELLS = 1280, MOST_CLASSES = 4096 };
#define EACH(p) _Pragma("GCC unroll 4") for (int p = 0; p < PARTS; p++)

/* What a score becomes.  The kinds are named in slopes.py. */
enum { CURVE, RESIDUAL, MARGIN, GIVEN };
typedef struct { int kind; double a, b, c; } Law;

/* e to the power of each, none beyond 708 either way: 2^k times a polynomial of what is left, at most half a binary power.
   Off by a few units in the last place, as docs/proofs/certificates.md allows for. */
ALWAYS void exponentials(lanes *x)
{
    static const double coefficients[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                                          1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0};
    const double rounding = 0x1.8p52;
    lanes shifted = *x * 0x1.71547652b82fep0 + rounding, power = shifted - rounding;
    lanes left = (*x - power * 0x1.62e42fefa0000p-1) - power * 0x1.cf79abc9e3b3ap-40, found = coefficients[0] + (lanes){0};
    for (size_t k = 1; k < sizeof coefficients / sizeof *coefficients; k++)
        found = found * left + coefficients[k];
    *x = found * (lanes)(((whole_lanes)shifted + 1023) << 52);
}

/* The logistic slope, no steeper than the cap.  Compilers make no vectors of comparisons of vectors, but of loops. */
ALWAYS void curve_at(double cap, double *restrict scores, const double *restrict labels, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        double margin = labels[i] * scores[i];
        margin = margin < -708.0 ? -708.0 : margin;
        scores[i] = margin > 708.0 ? 708.0 : margin;
    }
    for (Py_ssize_t i = count; i % LANES; i++)
        scores[i] = 0.0;
    for (Py_ssize_t i = 0; i < count; i += WIDTH) {
        lanes found = *(lanes *)(scores + i);
        exponentials(&found);
        *(lanes *)(scores + i) = 1.0 / (1.0 + found);
    }
    for (Py_ssize_t i = 0; i < count; i++)
        scores[i] = -labels[i] * (scores[i] > cap ? cap : scores[i]);
}

/* In place, from scores to slopes; room for whole lanes is behind the scores. */
ALWAYS void slopes_at(const Law *law, double *scores, const double *labels, Py_ssize_t count)
{
    if (law->kind == CURVE) {
        curve_at(law->a, scores, labels, count);
        return;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        double label = labels[i], found;
        switch (law->kind) {
        case RESIDUAL: /* a times what score and label differ by, at most b */
            found = scores[i] - label;
            scores[i] = law->a * (found < -law->b ? -law->b : found > law->b ? law->b : found);
            break;
        case MARGIN: /* a times what the margin lacks to b, from none to c */
            found = law->a * (law->b - label * scores[i]);
            scores[i] = -label * (found < 0.0 ? 0.0 : found > law->c ? law->c : found);
            break;
        default: /* times a given number */
            scores[i] *= label;
        }
    }
}

/* Of eight lanes, two by two. */
ALWAYS double added(const lanes *parts)
{
#define LANE(k) (parts[(k) / WIDTH][(k) % WIDTH])
    return ((LANE(0) + LANE(1)) + (LANE(2) + LANE(3))) + ((LANE(4) + LANE(5)) + (LANE(6) + LANE(7)));
#undef LANE
}

/* A product of two rows, in runs. */
ALWAYS double product(const double *x, const double *w, Py_ssize_t columns)
{
    double total = 0.0;
    for (Py_ssize_t first = 0; first < columns; first += RUN) {
        Py_ssize_t j = first, end = columns - first < RUN ? columns : first + RUN;
        lanes one[PARTS] = {0}, two[PARTS] = {0};
        const double *y = x + LANES, *v = w + LANES;
        for (; j + 2 * LANES <= end; j += 2 * LANES)
            EACH (p) {
                one[p] += *(const lanes *)(x + j + p * WIDTH) * *(const lanes *)(w + j + p * WIDTH);
                two[p] += *(const lanes *)(y + j + p * WIDTH) * *(const lanes *)(v + j + p * WIDTH);
            }
        for (; j + LANES <= end; j += LANES)
            EACH (p)
                one[p] += *(const lanes *)(x + j + p * WIDTH) * *(const lanes *)(w + j + p * WIDTH);
        EACH (p)
            one[p] += two[p];
        double run = added(one);
        for (; j < end; j++)
            run += x[j] * w[j];
        total += run;
    }
    return total;
}

ALWAYS void widen(const float *x, double *to, Py_ssize_t columns)
{
    Py_ssize_t j = 0;
    for (; j + WIDTH <= columns; j += WIDTH)
        *(lanes *)(to + j) = __builtin_convertvector(*(const half_lanes *)(x + j), lanes);
    for (; j < columns; j++)
        to[j] = x[j];
}

/* sum += rows by r, eight of them together. */
ALWAYS void pull(const double *rows, Py_ssize_t stride, Py_ssize_t count, Py_ssize_t columns, const double *r, double *sum)
{
    Py_ssize_t i = 0;
    for (; i + TOGETHER <= count; i += TOGETHER) {
        const double *x = rows + i * stride, *q = r + i;
        Py_ssize_t j = 0;
#define ROW(k) (q[k] * *(const lanes *)(x + (k) * stride + j))
        for (; j + WIDTH <= columns; j += WIDTH)
            *(lanes *)(sum + j) += ((ROW(0) + ROW(1)) + (ROW(2) + ROW(3))) + ((ROW(4) + ROW(5)) + (ROW(6) + ROW(7)));
#undef ROW
#define ROW(k) (q[k] * x[(k) * stride + j])
        for (; j < columns; j++)
            sum[j] += ((ROW(0) + ROW(1)) + (ROW(2) + ROW(3))) + ((ROW(4) + ROW(5)) + (ROW(6) + ROW(7)));
#undef ROW
    }
    for (; i < count; i++) {
        const double *x = rows + i * stride;
        Py_ssize_t j = 0;
        for (; j + WIDTH <= columns; j += WIDTH)
            *(lanes *)(sum + j) += r[i] * *(const lanes *)(x + j);
        for (; j < columns; j++)
            sum[j] += r[i] * x[j];
    }
}

ALWAYS void flush(double *sum, double *total, Py_ssize_t count)
{
    for (Py_ssize_t j = 0; j < count; j++) {
        total[j] += sum[j];
        sum[j] = 0.0;
    }
}

typedef struct {
    const char *rows; /* of doubles, or of singles */
    Py_ssize_t count, columns, stride; /* the stride in bytes */
    int singles;
} Table;

typedef struct {
    const double *labels, *weights; /* weights may be missing */
} Known;

/* By what rows are known again: a word for each column of `rows` rows, which those that come after join in turn. */
typedef struct {
    uint64_t *words; /* NULL where nobody asks */
    Py_ssize_t rows;
} Marks;

/* Row i joins.  Whatever a word was, what is left of it tells the number that joined; marks.py does the same. */
ALWAYS void join(const Marks *marks, Py_ssize_t i, const double *row, Py_ssize_t columns)
{
    uint64_t *restrict words = marks->words + i % marks->rows * columns;
    for (Py_ssize_t j = 0; j < columns; j++) {
        uint64_t word;
        memcpy(&word, row + j, sizeof word);
        word ^= words[j];
        word = (word & 0xffffffffu) * 0x9E3779B1u + (word >> 32 << 32);
        words[j] = word << 32 | word >> 32;
    }
}

/* Rows that are lent: each is measured, and one longer than `stays` multiplied by `lands` over its length. */
typedef struct {
    double *squares; /* of their lengths, as they were met first; NULL where rows are our own */
    int first;       /* they are met now */
    double stays, lands, huge;
    Marks marks;     /* that rows join when they are met first */
} Lent;

enum { DONE, OTHERS, ODD };

/* A row that is met: copied as doubles, measured, and its score, of one and the same bytes.  Somebody may write to them
   meanwhile, so every number is read exactly once: that is what volatile says. */
ALWAYS double met(const char *from, int singles, const double *w, double *to, Py_ssize_t columns, double *square)
{
    double total = 0.0;
    *square = 0.0;
    for (Py_ssize_t first = 0; first < columns; first += RUN) {
        Py_ssize_t j = first, end = columns - first < RUN ? columns : first + RUN;
        lanes one[PARTS] = {0}, two[PARTS] = {0}, one_square[PARTS] = {0}, two_square[PARTS] = {0};
#define MEET(sum, square, j) \
    do { \
        lanes x = singles ? __builtin_convertvector(*(const volatile half_lanes *)(from + 4 * (j)), lanes) \
                          : *(const volatile lanes *)(from + 8 * (j)); \
        *(lanes *)(to + (j)) = x; \
        sum += x * *(const lanes *)(w + (j)); \
        square += x * x; \
    } while (0)
        for (; j + 2 * LANES <= end; j += 2 * LANES)
            EACH (p) {
                MEET(one[p], one_square[p], j + p * WIDTH);
                MEET(two[p], two_square[p], j + LANES + p * WIDTH);
            }
        for (; j + LANES <= end; j += LANES)
            EACH (p)
                MEET(one[p], one_square[p], j + p * WIDTH);
#undef MEET
        EACH (p) {
            one[p] += two[p];
            one_square[p] += two_square[p];
        }
        double run = added(one), run_square = added(one_square);
        for (; j < end; j++) {
            double x = singles ? ((const volatile float *)from)[j] : ((const volatile double *)from)[j];
            to[j] = x;
            run += x * w[j];
            run_square += x * x;
        }
        total += run;
        *square += run_square;
    }
    return total;
}

/* What a lent row of this square is multiplied by, if it measures what it did and is none that no factor serves. */
ALWAYS int remembered(const Lent *how, Py_ssize_t row, double square, double *factor)
{
    if (how->first)
        how->squares[row] = square;
    else if (square != how->squares[row])
        return OTHERS;
    if (!(square < how->huge))
        return ODD;
    double length = sqrt(square);
    *factor = length > how->stays ? how->lands / length : 1.0;
    return DONE;
}

ALWAYS void look_ahead(const Table *table, Py_ssize_t row)
{
    if (row < table->count)
        for (Py_ssize_t byte = 0; byte < table->columns * (table->singles ? 4 : 8); byte += 64)
            __builtin_prefetch(table->rows + row * table->stride + byte);
}

/* total = Σ rows by slopes, in groups of `height` rows; the constant column's sum comes last.  `spare` has room for a
   sum, and for a tile of rows with their scores and factors.  Of lent rows OTHERS where one does not measure
   what it did, and ODD where one is met whose square is none of a double's. */
ALWAYS int over_rows(const Table *table, int singles, int lent, int marked, const Known *known, const Lent *how, const Law *law,
                     const double *w, double constant, Py_ssize_t height, Py_ssize_t tile_rows, double *spare, double *total)
{
    Py_ssize_t columns = table->columns;
    int copied = lent || singles;
    double *sum = spare, *r = sum + columns + 1, *factors = r + tile_rows;
    double *tile = factors + tile_rows, shift = constant == 0.0 ? 0.0 : constant * w[columns];
    memset(sum, 0, (size_t)(columns + 1) * sizeof(double));
    memset(total, 0, (size_t)(columns + 1) * sizeof(double));
    for (Py_ssize_t group = 0; group < table->count; group += height) {
        Py_ssize_t end = table->count - group < height ? table->count : group + height;
        for (Py_ssize_t first = group; first < end; first += tile_rows) {
            Py_ssize_t count = end - first < tile_rows ? end - first : tile_rows;
            const char *from = table->rows + first * table->stride;
            const double *x = copied ? tile : (const double *)from;
            Py_ssize_t stride = copied ? columns : table->stride / (Py_ssize_t)sizeof(double);
            for (Py_ssize_t i = 0; i < count; i++, from += table->stride) {
                double square;
                look_ahead(table, first + tile_rows + i);
                if (!copied) {
                    r[i] = product((const double *)from, w, columns) + shift;
                    continue;
                }
                r[i] = met(from, singles, w, tile + i * columns, columns, &square);
                if (lent) {
                    int found = remembered(how, first + i, square, factors + i);
                    if (found != DONE)
                        return found;
                    if (marked)
                        join(&how->marks, first + i, tile + i * columns, columns);
                    r[i] *= factors[i];
                }
                r[i] += shift;
            }
            slopes_at(law, r, known->labels + first, count);
            for (Py_ssize_t i = 0; i < count; i++) {
                if (known->weights)
                    r[i] *= known->weights[first + i];
                sum[columns] += r[i];
                if (lent)
                    r[i] *= factors[i];
            }
            pull(x, stride, count, columns, r, sum);
        }
        flush(sum, total, columns + 1);
    }
    total[columns] *= constant;
    return DONE;
}

EVERY_PROCESSOR
static int over_dense(const Table *table, const Known *known, const Lent *how, const Law *law, const double *w,
                      double constant, Py_ssize_t height, Py_ssize_t tile_rows, double *spare, double *total)
{
#define OVER(singles, lent, marked) \
    over_rows(table, singles, lent, marked, known, how, law, w, constant, height, tile_rows, spare, total)
    if (how->marks.words)
        return table->singles ? OVER(1, 1, 1) : OVER(0, 1, 1);
    if (table->singles)
        return how->squares ? OVER(1, 1, 0) : OVER(1, 0, 0);
    return how->squares ? OVER(0, 1, 0) : OVER(0, 0, 0);
#undef OVER
}

/* Of several scores a row: slopes of softmax, plain, clipped as a whole, or with the true class's chance held from below.
   The kinds are named in slopes.py.  `basis` takes scores to classes: a row of it for each score. */
enum { SOFTMAX, CLIPPED, CAPPED };
typedef struct { int kind; double bound; const double *basis; Py_ssize_t classes; } Classes;

/* What the chances e^z/Σe^z of each row are, less one for its own class; a chance is held where a bound says so. */
ALWAYS void lacking(const Classes *law, double *restrict z, const double *restrict own, double *restrict whole,
                    double *restrict mine, Py_ssize_t count, Py_ssize_t apart)
{
    Py_ssize_t classes = law->classes;
    double least = 1.0 - law->bound;
    memset(whole, 0, (size_t)count * sizeof(double));
    memset(mine, 0, (size_t)count * sizeof(double));
    if (law->kind != CAPPED) {
        for (Py_ssize_t k = 0; k < classes; k++)
            for (Py_ssize_t i = 0; i < count; i++)
                whole[i] += z[k * apart + i];
        for (Py_ssize_t k = 0; k < classes; k++)
            for (Py_ssize_t i = 0; i < count; i++)
                z[k * apart + i] = z[k * apart + i] / whole[i] - (own[i] == (double)k ? 1.0 : 0.0);
        return;
    }
    for (Py_ssize_t k = 0; k < classes; k++)
        for (Py_ssize_t i = 0; i < count; i++) {
            double found = z[k * apart + i];
            mine[i] += own[i] == (double)k ? found : 0.0;
            whole[i] += own[i] == (double)k ? 0.0 : found;
        }
    for (Py_ssize_t i = 0; i < count; i++) { /* from here on by what others are multiplied, and the own class's chance */
        double all = whole[i] + mine[i], held = mine[i] < least * all ? 1.0 : 0.0;
        double by = held != 0.0 ? law->bound / whole[i] : 1.0 / all;
        mine[i] = held != 0.0 ? least : mine[i] / all;
        whole[i] = by;
    }
    for (Py_ssize_t k = 0; k < classes; k++)
        for (Py_ssize_t i = 0; i < count; i++)
            z[k * apart + i] = own[i] == (double)k ? mine[i] - 1.0 : z[k * apart + i] * whole[i];
}

/* In place, from scores to slopes, score after score, `apart` of each; room for whole lanes of rows, which `z` has for
   every class and four times more. */
ALWAYS void slopes_of_classes(const Classes *law, double *restrict r, const double *restrict labels, Py_ssize_t rows,
                              Py_ssize_t apart, double *restrict z)
{
    Py_ssize_t classes = law->classes, count = (rows + LANES - 1) / LANES * LANES;
    double *top = z + classes * apart, *whole = top + apart, *mine = whole + apart, *own = mine + apart;
    for (Py_ssize_t i = 0; i < count; i++)
        own[i] = i < rows ? labels[i] : 0.0;
    for (Py_ssize_t k = 0; k < classes; k++) {
        double *to = z + k * apart;
        memset(to, 0, (size_t)count * sizeof(double));
        for (Py_ssize_t a = 0; a < classes - 1; a++) {
            double by = law->basis[a * classes + k];
            for (Py_ssize_t i = 0; i < count; i++)
                to[i] += by * r[a * apart + i];
        }
        for (Py_ssize_t i = 0; i < count; i++)
            top[i] = k == 0 || to[i] > top[i] ? to[i] : top[i];
    }
    for (Py_ssize_t k = 0; k < classes; k++) {
        double *to = z + k * apart;
        for (Py_ssize_t i = 0; i < count; i++) {
            double below = to[i] - top[i];
            to[i] = below < -708.0 ? -708.0 : below;
        }
        for (Py_ssize_t i = 0; i < count; i += WIDTH) {
            lanes found = *(lanes *)(to + i);
            exponentials(&found);
            *(lanes *)(to + i) = found;
        }
    }
    lacking(law, z, own, whole, mine, count, apart);
    memset(top, 0, (size_t)count * sizeof(double));
    for (Py_ssize_t a = 0; a < classes - 1; a++) {
        double *to = r + a * apart;
        memset(to, 0, (size_t)count * sizeof(double));
        for (Py_ssize_t k = 0; k < classes; k++) {
            double by = law->basis[a * classes + k];
            for (Py_ssize_t i = 0; i < count; i++)
                to[i] += z[k * apart + i] * by;
        }
        for (Py_ssize_t i = 0; i < count; i++)
            top[i] += to[i] * to[i];
    }
    if (law->kind != CLIPPED)
        return;
    for (Py_ssize_t i = 0; i < count; i++) {
        double length = sqrt(top[i]);
        top[i] = length > law->bound ? law->bound / length : 1.0;
    }
    for (Py_ssize_t a = 0; a < classes - 1; a++)
        for (Py_ssize_t i = 0; i < count; i++)
            r[a * apart + i] *= top[i];
}

/* Scores of so many rows, eight of them together: `turned` has a line for each column, with a number for every score and
   zeros up to whole vectors.  In runs. */
ALWAYS void several_scores(const double *rows, Py_ssize_t stride, Py_ssize_t count, Py_ssize_t columns, const double *turned,
                           Py_ssize_t padded, double *r, Py_ssize_t apart)
{
    for (Py_ssize_t i = 0; i < count; i += TOGETHER)
        for (Py_ssize_t q = 0; q < padded; q += WIDTH) {
            const double *x = rows + i * stride, *v = turned + q;
            Py_ssize_t held = count - i < TOGETHER ? count - i : TOGETHER;
            lanes total[TOGETHER] = {0};
            for (Py_ssize_t first = 0; first < columns; first += RUN) {
                Py_ssize_t end = columns - first < RUN ? columns : first + RUN;
                lanes run[TOGETHER] = {0};
                if (held == TOGETHER)
                    for (Py_ssize_t j = first; j < end; j++)
                        for (int k = 0; k < TOGETHER; k++)
                            run[k] += x[k * stride + j] * *(const lanes *)(v + j * padded);
                else
                    for (Py_ssize_t k = 0; k < held; k++)
                        for (Py_ssize_t j = first; j < end; j++)
                            run[k] += x[k * stride + j] * *(const lanes *)(v + j * padded);
                for (int k = 0; k < TOGETHER; k++)
                    total[k] += run[k];
            }
            for (Py_ssize_t k = 0; k < held; k++)
                for (int l = 0; l < WIDTH; l++)
                    r[(q + l) * apart + i + k] = total[k][l];
        }
}

/* As `over_rows`, of several scores: w and total have a row for each of them. */
ALWAYS int over_scores(const Table *table, int singles, int lent, const Known *known, const Lent *how, const Classes *law,
                       const double *w, double constant, Py_ssize_t height, Py_ssize_t apart, double *spare, double *total)
{
    Py_ssize_t columns = table->columns, outputs = law->classes - 1, width = columns + 1;
    Py_ssize_t wide = columns + (constant != 0.0), padded = (outputs + WIDTH - 1) / WIDTH * WIDTH;
    int copied = lent || singles;
    double *sum = spare, *r = sum + outputs * width, *z = r + padded * apart, *factors = z + (law->classes + 4) * apart;
    double *turned = factors + apart, *tile = turned + columns * padded;
    for (Py_ssize_t j = 0; j < columns; j++)
        for (Py_ssize_t a = 0; a < padded; a++)
            turned[j * padded + a] = a < outputs ? w[a * wide + j] : 0.0;
    memset(sum, 0, (size_t)(outputs * width) * sizeof(double));
    memset(total, 0, (size_t)(outputs * width) * sizeof(double));
    for (Py_ssize_t group = 0; group < table->count; group += height) {
        Py_ssize_t end = table->count - group < height ? table->count : group + height;
        for (Py_ssize_t first = group; first < end; first += apart) {
            Py_ssize_t count = end - first < apart ? end - first : apart;
            const char *from = table->rows + first * table->stride;
            const double *held = copied ? tile : (const double *)from;
            Py_ssize_t stride = copied ? columns : table->stride / (Py_ssize_t)sizeof(double);
            for (Py_ssize_t i = 0; i < count; i++, from += table->stride) {
                double square = 0.0;
                look_ahead(table, first + apart + i);
                if (copied)
                    met(from, singles, w, tile + i * columns, columns, &square);
                factors[i] = 1.0;
                int found = lent ? remembered(how, first + i, square, factors + i) : DONE;
                if (found != DONE)
                    return found;
                if (how->marks.words)
                    join(&how->marks, first + i, tile + i * columns, columns);
            }
            several_scores(held, stride, count, columns, turned, padded, r, apart);
            for (Py_ssize_t a = 0; a < outputs; a++) {
                double shift = constant == 0.0 ? 0.0 : constant * w[a * wide + columns];
                for (Py_ssize_t i = 0; i < count; i++)
                    r[a * apart + i] = r[a * apart + i] * factors[i] + shift;
                for (Py_ssize_t i = count; i % LANES; i++)
                    r[a * apart + i] = 0.0;
            }
            slopes_of_classes(law, r, known->labels + first, count, apart, z);
            for (Py_ssize_t a = 0; a < outputs; a++) {
                double *to = r + a * apart, constants = sum[a * width + columns];
                if (known->weights)
                    for (Py_ssize_t i = 0; i < count; i++)
                        to[i] *= known->weights[first + i];
                for (Py_ssize_t i = 0; i < count; i++) {
                    constants += to[i];
                    to[i] *= factors[i];
                }
                sum[a * width + columns] = constants;
                pull(held, stride, count, columns, to, sum + a * width);
            }
        }
        flush(sum, total, outputs * width);
    }
    for (Py_ssize_t a = 0; a < outputs; a++)
        total[a * width + columns] *= constant;
    return DONE;
}

EVERY_PROCESSOR
static int over_several(const Table *table, const Known *known, const Lent *how, const Classes *law, const double *w,
                        double constant, Py_ssize_t height, Py_ssize_t apart, double *spare, double *total)
{
    if (table->singles)
        return how->squares ? over_scores(table, 1, 1, known, how, law, w, constant, height, apart, spare, total)
                            : over_scores(table, 1, 0, known, how, law, w, constant, height, apart, spare, total);
    return how->squares ? over_scores(table, 0, 1, known, how, law, w, constant, height, apart, spare, total)
                        : over_scores(table, 0, 0, known, how, law, w, constant, height, apart, spare, total);
}

EVERY_PROCESSOR
static void over_lengths(const Table *table, const Marks *marks, double *tile, double *squares)
{
    for (Py_ssize_t i = 0; i < table->count; i++) {
        const char *row = table->rows + i * table->stride;
        const double *x = table->singles || marks->words ? tile : (const double *)row;
        if (marks->words) { /* what is measured is what joins: each number is read once */
            for (Py_ssize_t j = 0; j < table->columns; j++)
                tile[j] = table->singles ? ((const volatile float *)row)[j] : ((const volatile double *)row)[j];
            join(marks, i, tile, table->columns);
        } else if (table->singles)
            widen((const float *)row, tile, table->columns);
        if (squares)
            squares[i] = product(x, x, table->columns);
    }
}

typedef struct {
    const void *pointers, *places;
    const double *numbers;
    int wide_pointers, wide_places; /* eight bytes each, else four */
    Py_ssize_t count, columns;
} Compressed;

ALWAYS int64_t at(const void *numbers, int wide, Py_ssize_t i)
{
    return wide ? ((const int64_t *)numbers)[i] : ((const int32_t *)numbers)[i];
}

/* A score, in runs; 0 where a place lies outside the table. */
ALWAYS int score_of(const Compressed *table, int wide, int64_t first, int64_t end, const double *w, double *score)
{
    uint64_t columns = (uint64_t)table->columns;
    const double *numbers = table->numbers;
    *score = 0.0;
    for (int64_t begin = first; begin < end; begin += RUN) {
        int64_t k = begin, last = end - begin < RUN ? end : begin + RUN;
        double part[4] = {0.0, 0.0, 0.0, 0.0};
        for (; k + 4 <= last; k += 4) {
            uint64_t a = (uint64_t)at(table->places, wide, k), b = (uint64_t)at(table->places, wide, k + 1);
            uint64_t c = (uint64_t)at(table->places, wide, k + 2), d = (uint64_t)at(table->places, wide, k + 3);
            if ((a >= columns) | (b >= columns) | (c >= columns) | (d >= columns))
                return 0;
            __builtin_prefetch(numbers + k + FEW * 64);
            part[0] += numbers[k] * w[a];
            part[1] += numbers[k + 1] * w[b];
            part[2] += numbers[k + 2] * w[c];
            part[3] += numbers[k + 3] * w[d];
        }
        for (; k < last; k++) {
            uint64_t a = (uint64_t)at(table->places, wide, k);
            if (a >= columns)
                return 0;
            part[0] += numbers[k] * w[a];
        }
        *score += (part[0] + part[1]) + (part[2] + part[3]);
    }
    return 1;
}

/* The same over compressed rows.  0 where one reaches outside the table: nothing is read or written there. */
ALWAYS int over_compressed(const Compressed *table, int wide, const Known *known, const Law *law, const double *w,
                           double constant, Py_ssize_t height, Py_ssize_t entries, double *sum, double *total)
{
    Py_ssize_t columns = table->columns;
    double shift = constant == 0.0 ? 0.0 : constant * w[columns];
    double r[FEW];
    memset(sum, 0, (size_t)(columns + 1) * sizeof(double));
    memset(total, 0, (size_t)(columns + 1) * sizeof(double));
    for (Py_ssize_t group = 0; group < table->count; group += height) {
        Py_ssize_t stop = table->count - group < height ? table->count : group + height;
        for (Py_ssize_t begin = group; begin < stop; begin += FEW) {
            Py_ssize_t count = stop - begin < FEW ? stop - begin : FEW;
            int64_t ends[FEW + 1];
            for (Py_ssize_t i = 0; i <= count; i++) {
                ends[i] = at(table->pointers, table->wide_pointers, begin + i);
                if (ends[i] < (i ? ends[i - 1] : 0) || ends[i] > entries)
                    return 0;
            }
            for (Py_ssize_t i = 0; i < count; i++) {
                if (!score_of(table, wide, ends[i], ends[i + 1], w, r + i))
                    return 0;
                r[i] += shift;
            }
            slopes_at(law, r, known->labels + begin, count);
            for (Py_ssize_t i = 0; i < count; i++) {
                if (known->weights)
                    r[i] *= known->weights[begin + i];
                sum[columns] += r[i];
                for (int64_t k = ends[i]; k < ends[i + 1]; k++)
                    sum[at(table->places, wide, k)] += r[i] * table->numbers[k];
            }
        }
        flush(sum, total, columns + 1);
    }
    total[columns] *= constant;
    return 1;
}

EVERY_PROCESSOR
static int over_sparse(const Compressed *table, const Known *known, const Law *law, const double *w, double constant,
                       Py_ssize_t height, Py_ssize_t entries, double *sum, double *total)
{
    return table->wide_places
        ? over_compressed(table, 1, known, law, w, constant, height, entries, sum, total)
        : over_compressed(table, 0, known, law, w, constant, height, entries, sum, total);
}

/* Rows of an additive model: `each` couples, a place and a number f, which weigh 1 - f on that place and f on the next. */
typedef struct {
    const uint16_t *places;
    const double *parts;
    Py_ssize_t count, each, slots;
} Coupled;

ALWAYS couple weights_of(double part)
{
    return (couple){1.0 - part, part};
}

ALWAYS int all_inside(const uint16_t *places, Py_ssize_t many, Py_ssize_t slots)
{
    uint16_t largest = 0;
    for (Py_ssize_t t = 0; t < many; t++)
        largest = places[t] > largest ? places[t] : largest;
    return largest < slots - 1;
}

/* In runs, four couples side by side. */
ALWAYS double coupled_score(const uint16_t *places, const double *parts, Py_ssize_t each, const couple *values)
{
    double total = 0.0;
    for (Py_ssize_t begin = 0; begin < each; begin += RUN) {
        Py_ssize_t t = begin, end = each - begin < RUN ? each : begin + RUN;
        couple one = {0}, two = {0}, three = {0}, four = {0};
        for (; t + 4 <= end; t += 4) {
            one += weights_of(parts[t]) * values[places[t]];
            two += weights_of(parts[t + 1]) * values[places[t + 1]];
            three += weights_of(parts[t + 2]) * values[places[t + 2]];
            four += weights_of(parts[t + 3]) * values[places[t + 3]];
        }
        for (; t < end; t++)
            one += weights_of(parts[t]) * values[places[t]];
        one = (one + two) + (three + four);
        total += one[0] + one[1];
    }
    return total;
}

/* A slot is summed as the first of its couples and as the second of those before it; both join the total as one. */
ALWAYS void flush_couples(couple *sum, double *total, Py_ssize_t slots)
{
    double before = 0.0;
    for (Py_ssize_t j = 0; j < slots; j++) {
        total[j] += sum[j][0] + before;
        before = sum[j][1];
        sum[j] = (couple){0.0, 0.0};
    }
}

/* The same over couples.  0 where one reaches outside the slots: nothing is read or written there.  So many rows together
   that exponentials need not wait for each other and places are compared as one run, and no more than are still at hand
   when they are read again. */
EVERY_PROCESSOR
static int over_couples(const Coupled *table, const Known *known, const Law *law, const double *w, double constant,
                        Py_ssize_t height, couple *values, couple *sum, double *total)
{
    Py_ssize_t slots = table->slots, each = table->each;
    Py_ssize_t rows = CELLS / each / LANES * LANES;
    rows = rows > MANY ? MANY : rows < FEW ? FEW : rows;
    double shift = constant == 0.0 ? 0.0 : constant * w[slots], r[MANY];
    for (Py_ssize_t j = 0; j + 1 < slots; j++)
        values[j] = (couple){w[j], w[j + 1]};
    memset(sum, 0, (size_t)slots * sizeof(couple));
    memset(total, 0, (size_t)(slots + 1) * sizeof(double));
    for (Py_ssize_t group = 0; group < table->count; group += height) {
        Py_ssize_t stop = table->count - group < height ? table->count : group + height;
        double whole = 0.0;
        for (Py_ssize_t begin = group; begin < stop; begin += rows) {
            Py_ssize_t count = stop - begin < rows ? stop - begin : rows;
            if (!all_inside(table->places + begin * each, count * each, slots))
                return 0;
            for (Py_ssize_t i = 0; i < count; i++) {
                Py_ssize_t from = (begin + i) * each;
                r[i] = coupled_score(table->places + from, table->parts + from, each, values) + shift;
            }
            slopes_at(law, r, known->labels + begin, count);
            for (Py_ssize_t i = 0; i < count; i++) {
                const uint16_t *places = table->places + (begin + i) * each;
                const double *parts = table->parts + (begin + i) * each;
                if (known->weights)
                    r[i] *= known->weights[begin + i];
                whole += r[i];
                for (Py_ssize_t t = 0; t < each; t++)
                    sum[places[t]] += r[i] * weights_of(parts[t]);
            }
        }
        flush_couples(sum, total, slots);
        total[slots] += whole;
    }
    total[slots] *= constant;
    return 1;
}

/* The same in parts of so many rows, each added to the total as a whole: as threads have it that share them out. */
static int over_parts(const Coupled *table, const Known *known, const Law *law, const double *w, double constant,
                      Py_ssize_t height, Py_ssize_t part, double *spare, double *total)
{
    couple *values = (couple *)spare, *sum = values + table->slots;
    double *own = (double *)(sum + table->slots);
    memset(total, 0, (size_t)(table->slots + 1) * sizeof(double));
    for (Py_ssize_t first = 0; first < table->count; first += part) {
        Coupled some = *table;
        Known of = {known->labels + first, known->weights ? known->weights + first : NULL};
        some.places += first * table->each;
        some.parts += first * table->each;
        some.count = table->count - first < part ? table->count - first : part;
        if (!over_couples(&some, &of, law, w, constant, height, values, sum, own))
            return 0;
        for (Py_ssize_t j = 0; j <= table->slots; j++)
            total[j] += own[j];
    }
    return 1;
}

/* Two sums of each row's words by secret weights, modulo 2^64: the high half of a word is folded onto the low one first,
   for doubles differ in their high bits and products carry upwards. */
EVERY_PROCESSOR
static void over_words(const Table *table, const uint64_t *one, const uint64_t *other, uint64_t *ones, uint64_t *others)
{
    for (Py_ssize_t i = 0; i < table->count; i++) {
        const uint64_t *words = (const uint64_t *)(table->rows + i * table->stride);
        uint64_t a = 0, b = 0;
        for (Py_ssize_t j = 0; j < table->columns; j++) {
            uint64_t folded = words[j] ^ (words[j] >> 32);
            a += folded * one[j];
            b += folded * other[j];
        }
        ones[i] = a;
        others[i] = b;
    }
}

/* From here on: arrays as Python hands them over, checked. */

typedef struct { Py_buffer held[12]; int count; } Views;

static void let_go(Views *views)
{
    while (views->count)
        PyBuffer_Release(&views->held[--views->count]);
}

/* The letter of an array's kind, behind a mark of this machine's order where there is one; 0 for any other format. */
static char kind_of(const Py_buffer *view)
{
    const uint16_t one = 1;
    const char *format = view->format ? view->format : "B", own = *(const char *)&one ? '<' : '>';
    if (*format == '@' || *format == '=' || *format == own)
        format++;
    return *format && !format[1] ? *format : 0;
}

static int is_kind(const Py_buffer *view, const char *kinds)
{
    char kind = kind_of(view);
    return kind && strchr(kinds, kind) != NULL;
}

/* A flat array in one piece of one of these kinds; NULL and an error where it is not. */
static Py_buffer *flat(Views *views, PyObject *given, const char *kinds, Py_ssize_t length, int written)
{
    Py_buffer *view = &views->held[views->count];
    if (PyObject_GetBuffer(given, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (written ? PyBUF_WRITABLE : 0)))
        return NULL;
    views->count++;
    if (view->ndim != 1 || !is_kind(view, kinds) || (length >= 0 && view->shape[0] != length)
        || (uintptr_t)view->buf % (uintptr_t)view->itemsize) {
        PyErr_SetString(PyExc_TypeError, "a pass: an array has another kind or length, or lies at an odd byte");
        return NULL;
    }
    return view;
}

static int doubles(Views *views, PyObject *given, Py_ssize_t length, const double **found)
{
    *found = NULL;
    if (given == Py_None)
        return 1;
    Py_buffer *view = flat(views, given, "d", length, 0);
    if (view)
        *found = view->buf;
    return view != NULL;
}

static int known_of(Views *views, PyObject *labels, PyObject *weights, Py_ssize_t rows, Known *known)
{
    Py_buffer *view = flat(views, labels, "d", rows, 0);
    if (!view)
        return 0;
    known->labels = view->buf;
    return doubles(views, weights, rows, &known->weights);
}

static int table_of(Views *views, PyObject *given, Table *table)
{
    Py_buffer *view = &views->held[views->count];
    if (PyObject_GetBuffer(given, view, PyBUF_FORMAT | PyBUF_STRIDES))
        return 0;
    views->count++;
    if (view->ndim != 2 || !is_kind(view, "df") || view->strides[1] != view->itemsize || view->strides[0] < 0
        || view->strides[0] % view->itemsize || (uintptr_t)view->buf % (uintptr_t)view->itemsize) {
        PyErr_SetString(PyExc_TypeError, "a pass: rows of doubles or singles are needed, each in one piece");
        return 0;
    }
    table->rows = view->buf;
    table->count = view->shape[0];
    table->columns = view->shape[1];
    table->stride = view->strides[0];
    table->singles = kind_of(view) == 'f';
    return 1;
}

static Py_ssize_t tile_height(Py_ssize_t columns)
{
    Py_ssize_t rows = TILE / (columns > 0 ? columns : 1);
    rows = rows > 256 ? 256 : rows / TOGETHER * TOGETHER;
    return rows < TOGETHER ? TOGETHER : rows;
}

/* Room for so many doubles, or an error. */
static double *room(Py_ssize_t count)
{
    double *found = count <= PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(double) ? PyMem_Malloc((size_t)count * sizeof(double)) : NULL;
    if (!found)
        PyErr_NoMemory();
    return found;
}

/* None, or words for some rows of the table. */
static int marks_of(Views *views, PyObject *given, const Table *table, Marks *marks)
{
    *marks = (Marks){NULL, 0};
    if (given == Py_None)
        return 1;
    Py_buffer *view = flat(views, given, "LQ", -1, 1);
    if (!view)
        return 0;
    if (view->itemsize != 8 || !view->shape[0] || !table->columns || view->shape[0] % table->columns) {
        PyErr_SetString(PyExc_TypeError, "a pass: rows join words of 64 bits, one for each column of some rows");
        return 0;
    }
    *marks = (Marks){view->buf, view->shape[0] / table->columns};
    return 1;
}

static PyObject *dense(PyObject *self, PyObject *args)
{
    PyObject *matrix, *coefficients, *labels, *weights, *squares, *out, *joined = Py_None, *result = NULL;
    Law law;
    Lent how = {.squares = NULL};
    double constant, *spare = NULL;
    Py_ssize_t height;
    Views views = {.count = 0};
    Table table;
    Known known;
    Py_buffer *w, *total, *measured;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO(iddd)dnOOpddd|O", &matrix, &coefficients, &labels, &weights, &law.kind, &law.a, &law.b,
                          &law.c, &constant, &height, &out, &squares, &how.first, &how.stays, &how.lands, &how.huge,
                          &joined))
        return NULL;
    if (!table_of(&views, matrix, &table) || !known_of(&views, labels, weights, table.count, &known)
        || !(w = flat(&views, coefficients, "d", table.columns + (constant != 0.0), 0))
        || !(total = flat(&views, out, "d", table.columns + 1, 1)))
        goto done;
    if (squares != Py_None) {
        if (!(measured = flat(&views, squares, "d", table.count, how.first)))
            goto done;
        how.squares = measured->buf;
    }
    if (!marks_of(&views, squares == Py_None ? Py_None : joined, &table, &how.marks))
        goto done;
    Py_ssize_t tile_rows = tile_height(table.columns);
    if (height < 1 || table.columns > PY_SSIZE_T_MAX / 512) {
        PyErr_SetString(PyExc_ValueError, "a pass: groups of no rows, or rows too long");
        goto done;
    }
    if (!(spare = room(table.columns + 1 + tile_rows * (2 + table.columns))))
        goto done;
    int found;
    Py_BEGIN_ALLOW_THREADS
    found = over_dense(&table, &known, &how, &law, w->buf, constant, height, tile_rows, spare, total->buf);
    Py_END_ALLOW_THREADS
    result = PyLong_FromLong(found);
done:
    PyMem_Free(spare);
    let_go(&views);
    return result;
}

static PyObject *several(PyObject *self, PyObject *args)
{
    PyObject *matrix, *coefficients, *labels, *weights, *squares, *out, *basis, *joined = Py_None, *result = NULL;
    Classes law;
    Lent how = {.squares = NULL};
    double constant, *spare = NULL;
    Py_ssize_t height;
    Views views = {.count = 0};
    Table table;
    Known known;
    Py_buffer *w, *total, *measured, *turns;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO(idOn)dnOOpddd|O", &matrix, &coefficients, &labels, &weights, &law.kind, &law.bound, &basis,
                          &law.classes, &constant, &height, &out, &squares, &how.first, &how.stays, &how.lands, &how.huge,
                          &joined))
        return NULL;
    if (!table_of(&views, matrix, &table) || !known_of(&views, labels, weights, table.count, &known))
        goto done;
    if (height < 1 || law.classes < 2 || law.classes > MOST_CLASSES || table.columns > PY_SSIZE_T_MAX / 512 / MOST_CLASSES) {
        PyErr_SetString(PyExc_ValueError, "a pass: groups of no rows, too many classes, or rows too long");
        goto done;
    }
    Py_ssize_t outputs = law.classes - 1, apart = tile_height(table.columns);
    if (!(turns = flat(&views, basis, "d", outputs * law.classes, 0))
        || !(w = flat(&views, coefficients, "d", outputs * (table.columns + (constant != 0.0)), 0))
        || !(total = flat(&views, out, "d", outputs * (table.columns + 1), 1)))
        goto done;
    law.basis = turns->buf;
    if (squares != Py_None) {
        if (!(measured = flat(&views, squares, "d", table.count, how.first)))
            goto done;
        how.squares = measured->buf;
    }
    Py_ssize_t padded = outputs + LANES;
    if (!marks_of(&views, squares == Py_None ? Py_None : joined, &table, &how.marks))
        goto done;
    if (!(spare = room(outputs * (table.columns + 1) + padded * (table.columns + apart) + apart * (law.classes + 5 + table.columns))))
        goto done;
    int found;
    Py_BEGIN_ALLOW_THREADS
    found = over_several(&table, &known, &how, &law, w->buf, constant, height, apart, spare, total->buf);
    Py_END_ALLOW_THREADS
    result = PyLong_FromLong(found);
done:
    PyMem_Free(spare);
    let_go(&views);
    return result;
}

static PyObject *lengths(PyObject *self, PyObject *args)
{
    PyObject *matrix, *out, *joined = Py_None, *result = NULL;
    double *tile = NULL;
    Views views = {.count = 0};
    Table table;
    Marks words;
    Py_buffer *squares = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO|O", &matrix, &out, &joined))
        return NULL;
    if (table_of(&views, matrix, &table) && (out == Py_None || (squares = flat(&views, out, "d", table.count, 1)))
        && marks_of(&views, joined, &table, &words) && (tile = room(table.columns + 1))) {
        Py_BEGIN_ALLOW_THREADS
        over_lengths(&table, &words, tile, squares ? squares->buf : NULL);
        Py_END_ALLOW_THREADS
        result = Py_None;
        Py_INCREF(result);
    }
    PyMem_Free(tile);
    let_go(&views);
    return result;
}

static PyObject *compressed(PyObject *self, PyObject *args)
{
    PyObject *pointers, *places, *numbers, *coefficients, *labels, *weights, *out, *result = NULL;
    Law law;
    double constant, *sum = NULL;
    Py_ssize_t height;
    Views views = {.count = 0};
    Compressed table;
    Known known;
    Py_buffer *ends, *where, *entries, *w, *total;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO(iddd)dnO", &pointers, &places, &numbers, &coefficients, &labels, &weights, &law.kind,
                          &law.a, &law.b, &law.c, &constant, &height, &out))
        return NULL;
    if (!(ends = flat(&views, pointers, "ilq", -1, 0)) || !(where = flat(&views, places, "ilq", -1, 0))
        || !(entries = flat(&views, numbers, "d", where->shape[0], 0)) || !(total = flat(&views, out, "d", -1, 1))
        || !(w = flat(&views, coefficients, "d", total->shape[0] - (constant == 0.0), 0))
        || !known_of(&views, labels, weights, ends->shape[0] - 1, &known))
        goto done;
    table = (Compressed){ends->buf, where->buf, entries->buf, ends->itemsize == 8, where->itemsize == 8,
                         ends->shape[0] - 1, total->shape[0] - 1};
    if (height < 1 || table.count < 0 || table.columns < 0) {
        PyErr_SetString(PyExc_ValueError, "a pass: groups of no rows, or no table");
        goto done;
    }
    if (!(sum = room(table.columns + 1)))
        goto done;
    int found;
    Py_BEGIN_ALLOW_THREADS
    found = over_sparse(&table, &known, &law, w->buf, constant, height, entries->shape[0], sum, total->buf);
    Py_END_ALLOW_THREADS
    if (!found)
        PyErr_SetString(PyExc_ValueError, "a pass: a row reaches outside the table");
    else {
        result = Py_None;
        Py_INCREF(result);
    }
done:
    PyMem_Free(sum);
    let_go(&views);
    return result;
}

static PyObject *coupled(PyObject *self, PyObject *args)
{
    PyObject *places, *parts, *coefficients, *labels, *weights, *out, *result = NULL;
    Law law;
    double constant, *spare = NULL;
    Py_ssize_t height, each, part;
    Views views = {.count = 0};
    Coupled table;
    Known known;
    Py_buffer *where, *numbers, *w, *total;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOnOOO(iddd)dnnO", &places, &parts, &each, &coefficients, &labels, &weights, &law.kind, &law.a,
                          &law.b, &law.c, &constant, &height, &part, &out))
        return NULL;
    if (!(where = flat(&views, places, "H", -1, 0)) || !(numbers = flat(&views, parts, "d", where->shape[0], 0))
        || !(total = flat(&views, out, "d", -1, 1))
        || !(w = flat(&views, coefficients, "d", total->shape[0] - (constant == 0.0), 0)))
        goto done;
    if (height < 1 || part < 1 || each < 1 || where->shape[0] % each || total->shape[0] < 2) {
        PyErr_SetString(PyExc_ValueError, "a pass: groups of no rows, or no table");
        goto done;
    }
    table = (Coupled){where->buf, numbers->buf, where->shape[0] / each, each, total->shape[0] - 1};
    if (!known_of(&views, labels, weights, table.count, &known) || !(spare = room(5 * table.slots + 1)))
        goto done;
    int found;
    Py_BEGIN_ALLOW_THREADS
    found = over_parts(&table, &known, &law, w->buf, constant, height, part, spare, total->buf);
    Py_END_ALLOW_THREADS
    if (!found)
        PyErr_SetString(PyExc_ValueError, "a pass: a row reaches outside the table");
    else {
        result = Py_None;
        Py_INCREF(result);
    }
done:
    PyMem_Free(spare);
    let_go(&views);
    return result;
}

static PyObject *marks(PyObject *self, PyObject *args)
{
    PyObject *matrix, *given[4], *result = NULL;
    Views views = {.count = 0};
    Table table;
    Py_buffer *found[4];
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOO", &matrix, &given[0], &given[1], &given[2], &given[3]))
        return NULL;
    if (!table_of(&views, matrix, &table))
        goto done;
    for (int k = 0; k < 4; k++)
        if (!(found[k] = flat(&views, given[k], "LQ", k < 2 ? table.columns : table.count, k >= 2)))
            goto done;
    if (table.singles || found[0]->itemsize != 8 || found[1]->itemsize != 8 || found[2]->itemsize != 8
        || found[3]->itemsize != 8) {
        PyErr_SetString(PyExc_TypeError, "a pass: marks are of doubles, in words of 64 bits");
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    over_words(&table, found[0]->buf, found[1]->buf, found[2]->buf, found[3]->buf);
    Py_END_ALLOW_THREADS
    result = Py_None;
    Py_INCREF(result);
done:
    let_go(&views);
    return result;
}

static PyMethodDef methods[] = {
    {"dense", dense, METH_VARARGS, "Sum rows by the slopes at their scores; not 0 where a lent row is another, or odd.  Lent rows may join marks."},
    {"several", several, METH_VARARGS, "The same of rows with several scores each."},
    {"compressed", compressed, METH_VARARGS, "The same of compressed rows."},
    {"coupled", coupled, METH_VARARGS, "The same of rows of couples."},
    {"marks", marks, METH_VARARGS, "Two sums of each row's words by given weights, modulo 2 to the power of 64."},
    {"lengths", lengths, METH_VARARGS, "The square of each row's length, as dense measures it, and marks that rows join; None for either."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_passes", "Passes over the records: sums by what a loss makes of scores.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__passes(void)
{
    return PyModule_Create(&module);
}
