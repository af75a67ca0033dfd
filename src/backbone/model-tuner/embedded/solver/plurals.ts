const unchanged = new Set([
  'mph',
  'fish',
  'sheep',
  'deer',
  '',
  'pants',
  'scissors',
  'series',
  'money',
  'change',
  'homework',
]);

const irregular: Readonly<Record<string, string>> = {
  child: 'children',
  person: 'people',
  man: 'men',
  woman: 'women',
  foot: 'feet',
  loaf: 'loaves',
  leaf: 'leaves',
  goose: 'geese',
  mouse: 'mice',
  tooth: 'teeth',
  shelf: 'shelves',
  knife: 'knives',
};

/** The plural, for written reasoning; undefined for no noun. */
export function plural(noun: string): string | undefined {
  if (noun === '') return undefined;
  if (unchanged.has(noun)) return noun;
  const known = irregular[noun];
  if (known !== undefined) return known;
  if (noun.startsWith('square ')) return `square ${plural(noun.slice(7)) ?? ''}`;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
