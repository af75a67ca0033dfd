/**
 * Writes a text that fits a regular expression: literals, classes, groups, alternatives, repetition. Look-around,
 * back-references and word boundaries are passed over, so the caller tests what comes out.
 */
export function sampleOfPattern(pattern: string, pickOf: (count: number) => number): string {
  return new PatternReader(pattern, pickOf).alternatives();
}

const classes: Readonly<Record<string, string>> = {
  d: '0123456789',
  w: 'abcdefghijklmnopqrstuvwxyz0123456789_',
  s: ' ',
  D: 'abcdefgh',
  W: '-.,:',
  S: 'abcdefgh0123456789',
  n: '\n',
  t: '\t',
  r: '\r',
};
const anyCharacter = 'abcdefghijklmnopqrstuvwxyz';
/** Characters from which a negated class chooses. */
const printable = `${anyCharacter}0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.,:;!? ()[]{}<>@#$%^&*+=/|~'"`;

class PatternReader {
  readonly #pattern: string;
  readonly #pickOf: (count: number) => number;
  #at = 0;

  constructor(pattern: string, pickOf: (count: number) => number) {
    this.#pattern = pattern;
    this.#pickOf = pickOf;
  }

  /** Up to a closing parenthesis or the end. */
  alternatives(): string {
    const branches = [this.#sequence()];
    while (this.#peek() === '|') {
      this.#at++;
      branches.push(this.#sequence());
    }
    return branches[this.#pickOf(branches.length)] ?? '';
  }

  #sequence(): string {
    let text = '';
    while (this.#at < this.#pattern.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const start = this.#at;
      const first = this.#atom();
      const atomEnd = this.#at;
      const times = this.#quantifier();
      const after = this.#at;
      if (times > 0) text += first;
      for (let count = 1; count < times; count++) {
        this.#at = start; // read the atom again, so that repetitions may differ
        text += this.#atom();
        this.#at = atomEnd;
      }
      this.#at = after;
    }
    return text;
  }

  #atom(): string {
    const character = this.#take();
    if (character === '^' || character === '$') return '';
    if (character === '.') return this.#oneOf(anyCharacter);
    if (character === '(') return this.#group();
    if (character === '[') return this.#oneOf(this.#characterClass());
    if (character === '\\') return this.#oneOf(this.#escape());
    return character;
  }

  #group(): string {
    const head = /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(this.#pattern.slice(this.#at))?.[0] ?? '';
    this.#at += head.length;
    const text = this.alternatives();
    if (this.#peek() === ')') this.#at++;
    return /^\?<?[=!]/.test(head) ? '' : text;
  }

  /** The characters that an escape stands for; none for a boundary. */
  #escape(): string {
    const letter = this.#take();
    if (letter === 'b' || letter === 'B') return '';
    if (letter === 'u' || letter === 'x') return this.#codePoint(letter);
    if (letter === 'p' || letter === 'P') {
      const name = /^\{[^}]*\}/.exec(this.#pattern.slice(this.#at))?.[0] ?? '';
      this.#at += name.length;
      return /^\{(?:Lu|Uppercase)/.test(name)
        ? 'ABCDEFGH'
        : name.startsWith('{N')
          ? '0123456789'
          : anyCharacter;
    }
    return classes[letter] ?? letter;
  }

  #codePoint(letter: string): string {
    const rest = this.#pattern.slice(this.#at);
    const digits = (letter === 'x' ? /^[\da-f]{2}/i : /^(?:\{[\da-f]+\}|[\da-f]{4})/i).exec(rest)?.[0] ?? '';
    this.#at += digits.length;
    return String.fromCodePoint(Number.parseInt(digits.replace('{', ''), 16) || 0);
  }

  #characterClass(): string {
    const negated = this.#peek() === '^';
    if (negated) this.#at++;
    let members = '';
    while (this.#at < this.#pattern.length && this.#peek() !== ']') {
      const from = this.#member();
      if (this.#peek() === '-' && this.#pattern[this.#at + 1] !== ']' && from.length === 1) {
        this.#at++;
        members += range(from, this.#member());
      } else members += from;
    }
    this.#at++;
    return negated
      ? Array.from(printable)
          .filter((character) => !members.includes(character))
          .join('')
      : members;
  }

  #member(): string {
    const character = this.#take();
    return character === '\\' ? this.#escape() : character;
  }

  /** How often the atom before is to be repeated; open ends are kept short. */
  #quantifier(): number {
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at));
    if (match === null) return 1;
    this.#at += match[0].length;
    const kind = match[0][0];
    if (kind === '?') return this.#pickOf(2);
    if (kind === '*') return this.#pickOf(3);
    if (kind === '+') return 1 + this.#pickOf(4);
    const least = Number(match[1]);
    if (match[2] === '') return least;
    const most = match[3] === '' ? least + 3 : Number(match[3]);
    return least + this.#pickOf(Math.min(most - least, 8) + 1);
  }

  #oneOf(characters: string): string {
    const list = Array.from(characters);
    return list.length === 0 ? '' : (list[this.#pickOf(list.length)] ?? '');
  }

  #peek(): string | undefined {
    return this.#pattern[this.#at];
  }

  #take(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 32);
    this.#at += character.length;
    return character;
  }
}

function range(from: string, to: string): string {
  const first = from.codePointAt(0) ?? 0;
  const last = to.codePointAt(0) ?? first;
  let characters = '';
  for (let code = first; code <= Math.min(last, first + 127); code++)
    characters += String.fromCodePoint(code);
  return characters;
}
