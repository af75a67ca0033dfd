const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Reads `base=form,form …` into pairs of form and base. */
export function invert(table: string): [string, string][] {
  return table.split(' ').flatMap((entry) => {
    const [base = '', list = ''] = entry.split('=');
    return list.split(',').map((form): [string, string] => [form, base]);
  });
}

const irregularPlurals = new Map(
  invert(
    'child=children person=people,persons man=men woman=women foot=feet,ft tooth=teeth mouse=mice ' +
      'goose=geese loaf=loaves leaf=leaves knife=knives shelf=shelves half=halves wolf=wolves calf=calves ' +
      'life=lives wife=wives box=boxes bus=buses,bus glass=glasses,glass class=classes,class dish=dishes ' +
      'tomato=tomatoes potato=potatoes hero=heroes mango=mangoes ' +
      'dollar=dollars,bucks,buck,usd,euros,euro,€,money,change,cash cookie=cookies pie=pies movie=movies ' +
      'brownie=brownies selfie=selfies smoothie=smoothies tie=ties calorie=calories zombie=zombies ' +
      'mile=mph kilometer=kph,km,kilometre,kilometres,kms centimeter=cm,centimetre,centimetres meter=metre,metres,m ' +
      'kilogram=kg,kgs,kilo,kilos gram=g liter=litre,litres,l milliliter=ml,millilitres pound=lb,lbs ' +
      'ounce=oz mile=mi hour=hr,hrs minute=min,mins inch=inches second=sec,secs cup=cups gas=gas ' +
      'grass=grass lens=lens series=series pants=pants scissors=scissors dress=dress pass=pass ' +
      'cactus=cactus',
  ),
);

/** The singular of a noun, with units spelled one way. */
export function singular(word: string): string {
  const known = irregularPlurals.get(word);
  if (known !== undefined) return known;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:sh|ch|x|ss|zz)es$/.test(word)) return word.slice(0, -2);
  if (/[^su]s$/.test(word) && word.length > 3) return word.slice(0, -1);
  return word;
}

const kinds: Readonly<Record<string, string>> = {
  fruit:
    'apple orange banana pear plum peach grape mango lemon lime kiwi cherry strawberry blueberry melon apricot pineapple coconut watermelon berry raspberry',
  vegetable:
    'carrot potato tomato onion cucumber pepper cabbage pumpkin lettuce radish turnip bean pea eggplant',
  animal:
    'dog cat cow horse pig sheep goat chicken duck hen rabbit lion tiger elephant monkey giraffe zebra goose turkey fish bird hamster turtle parrot puppy kitten pony bear penguin deer fox',
  pet: 'dog cat fish hamster bird rabbit turtle parrot puppy kitten goldfish guinea',
  bird: 'finch canary hen duck goose chicken turkey crow pigeon sparrow parrot swan robin eagle penguin ostrich',
  flower: 'rose tulip daisy lily daffodil orchid sunflower violet carnation petunia pansy',
  person:
    'adult child boy girl man woman student teacher player worker friend kid guest passenger visitor employee parent senior member pupil',
  student: 'boy girl pupil child kid',
  child: 'boy girl kid son daughter',
  vehicle: 'car truck bus bike bicycle motorcycle van motorbike',
  toy: 'doll car truck ball block robot puzzle train bear',
  furniture: 'chair table desk sofa bed',
  tree: 'oak pine maple birch palm elm',
  drink: 'soda juice coffee tea lemonade water milk',
  coin: 'penny nickel dime quarter',
  dessert: 'cake cookie pie brownie cupcake muffin donut',
  pastry: 'cake cookie pie croissant muffin donut bagel',
  book: 'novel comic textbook magazine',
  marble: '',
};

const members = new Map(Object.entries(kinds).map(([kind, words]) => [kind, new Set(words.split(' '))]));

const vagueNouns = set(
  'item thing object piece total amount number unit treat article product good snack stationery supply altogether sum garment clothes clothing baked',
);

/** Whether what one noun counts is also counted by another: `rose` by `flower`, anything by `item`. */
export function isKindOf(noun: string, kind: string): boolean {
  return noun === kind || members.get(kind)?.has(noun) === true || (vagueNouns.has(kind) && !isMeasure(noun));
}

export function isVague(noun: string): boolean {
  return vagueNouns.has(noun);
}

/** How many of the second unit one of the first is. */
const conversions: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  year: { month: 12, week: 52, day: 365 },
  month: { week: 4, day: 30 },
  week: { day: 7, weekday: 5, workday: 5 },
  fortnight: { day: 14, week: 2 },
  weekend: { day: 2 },
  day: { hour: 24, minute: 1440 },
  hour: { minute: 60, second: 3600 },
  minute: { second: 60 },
  dollar: { cent: 100 },
  foot: { inch: 12 },
  yard: { foot: 3, inch: 36 },
  mile: { foot: 5280 },
  kilometer: { meter: 1000 },
  meter: { centimeter: 100, millimeter: 1000 },
  centimeter: { millimeter: 10 },
  kilogram: { gram: 1000 },
  liter: { milliliter: 1000 },
  pound: { ounce: 16 },
  gallon: { quart: 4, pint: 8, cup: 16 },
  dozen: { '*': 12 },
};

export function conversionFactor(from: string, to: string): number | undefined {
  return conversions[from]?.[to];
}

const measureUnits = set(
  'dollar cent year month week day weekday workday fortnight weekend hour minute second mile kilometer meter centimeter millimeter foot inch yard ' +
    'kilogram gram pound ounce ton liter milliliter gallon quart pint mph percent degree time',
);

/** Units of money, time, length, weight and volume: never the same thing as what is counted by the piece. */
export function isMeasure(noun: string): boolean {
  return measureUnits.has(noun) || noun.startsWith('square ');
}

export const times = set(
  'year month week day weekday workday fortnight weekend hour minute second morning afternoon evening night',
);

export function isTime(noun: string): boolean {
  return times.has(noun);
}

/** Words that tell one amount from another: days, parts of the day, seasons. */
export const tagWords = set(
  'monday tuesday wednesday thursday friday saturday sunday morning afternoon evening night noon january february march april may ' +
    'june july august september october november december spring summer autumn fall winter yesterday today tomorrow first second third fourth fifth last ' +
    'breakfast lunch dinner weekend weekday',
);
