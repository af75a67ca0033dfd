/** Python's complex numbers, which a fractional power of a negative number is. */
import { EvaluationError } from '../../../base/core/pythonNumbers.ts';

export interface Complex {
  readonly kind: 'complex';
  readonly re: number;
  readonly im: number;
}

export function addComplex(a: Complex, b: Complex): Complex {
  return complex(a.re + b.re, a.im + b.im);
}

export function multiplyComplex(a: Complex, b: Complex): Complex {
  return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

/** Scaled by the divisor's larger part, so that its square does not overflow. */
export function divideComplex(a: Complex, b: Complex): Complex {
  if (b.re === 0 && b.im === 0) throw new EvaluationError('it divides by zero');
  if (Math.abs(b.re) >= Math.abs(b.im)) {
    const ratio = b.im / b.re;
    const scale = b.re + b.im * ratio;
    return complex((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale);
  }
  const ratio = b.re / b.im;
  const scale = b.re * ratio + b.im;
  return complex((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale);
}

export function powerComplex(base: Complex, exponent: Complex): Complex {
  if (exponent.re === 0 && exponent.im === 0) return complex(1, 0);
  if (base.re === 0 && base.im === 0) {
    if (exponent.im !== 0 || exponent.re < 0) throw new EvaluationError('zero is raised to a power it has not');
    return complex(0, 0);
  }
  const length = Math.hypot(base.re, base.im);
  const angle = Math.atan2(base.im, base.re);
  const phase = angle * exponent.re + exponent.im * Math.log(length);
  const size = length ** exponent.re / Math.exp(angle * exponent.im);
  const [re, im] = [size * Math.cos(phase), size * Math.sin(phase)];
  if (!Number.isFinite(re) || !Number.isFinite(im))
    throw new EvaluationError('a power in it is too large for a float');
  return complex(re, im);
}

function complex(re: number, im: number): Complex {
  return { kind: 'complex', re, im };
}
