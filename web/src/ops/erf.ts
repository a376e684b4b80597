/** The error function, which JavaScript does not have. */

// Rational approximations in three ranges, each to the last digit or two of double precision.
// Sources: near 0 FDLIBM's `s_erf.c` (Sun Microsystems, 1993), where x · (1 + small) loses nothing;
// beyond it W. J. Cody, "Rational Chebyshev Approximations for the Error Function",
// Mathematics of Computation 23 (1969).
const NEAR = 0.84375;
const FAR = 4;
const NEAR_TOP = [
  -2.37630166566501626084e-5, -5.77027029648944159157e-3, -2.84817495755985104766e-2,
  -3.2504210724700149937e-1, 1.28379167095512558561e-1,
];
const NEAR_BOTTOM = [
  -3.9602282787753681232e-6, 1.32494738004321644526e-4, 5.08130628187576562776e-3,
  6.50222499887672944485e-2, 3.97917223959155352819e-1, 1.0,
];
const MIDDLE_TOP = [
  2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
  2.98635138197400131e2, 8.8195222124176909e2, 1.71204761263407058e3, 2.05107837782607147e3,
  1.23033935479799725e3,
];
const MIDDLE_BOTTOM = [
  1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
  3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
];
const FAR_TOP = [
  1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
  1.60837851487422766e-2, 6.58749161529837803e-4,
];
const FAR_BOTTOM = [
  1.0, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1, 6.05183413124413191e-2,
  2.33520497626869185e-3,
];
/** From here on erf is 1 in double precision. */
const BEYOND = 6;

/** `2/√π · ∫₀ˣ exp(-t²) dt`; NaN stays NaN. */
export function erf(x: number): number {
  if (Number.isNaN(x)) return x;
  const size = Math.abs(x);
  if (size <= NEAR) return x + x * ratio(NEAR_TOP, NEAR_BOTTOM, x * x);
  if (size <= FAR) {
    return Math.sign(x) * (1 - Math.exp(-size * size) * ratio(MIDDLE_TOP, MIDDLE_BOTTOM, size));
  }
  if (size >= BEYOND) return Math.sign(x);
  const inverse = 1 / (size * size);
  const tail = (1 / Math.sqrt(Math.PI) - inverse * ratio(FAR_TOP, FAR_BOTTOM, inverse)) / size;
  return Math.sign(x) * (1 - Math.exp(-size * size) * tail);
}

/** One polynomial over another, coefficients from the highest power down. */
function ratio(top: readonly number[], bottom: readonly number[], x: number): number {
  const value = (polynomial: readonly number[]) => polynomial.reduce((sum, c) => sum * x + c, 0);
  return value(top) / value(bottom);
}
