/** Word problems for the tests, made by chance: people, things, numbers, wordings and story shapes vary with the seed. */
import { capital, castOf, Dice, numberWords, say, type Problem, type Shape } from './cast.ts';

export type { Problem } from './cast.ts';

const comesAndGoes: Shape = (cast) => {
  const { dice, a, b, he, thing, n } = cast;
  const [start, away, more] = [n(40, 90), n(5, 35), n(3, 30)];
  const opening = dice.of([
    `${a} owned ${start} ${thing}.`,
    `${a} started the week with ${start} ${thing}.`,
    `At first, ${a} had ${start} ${thing}.`,
  ]);
  const middle = dice.of([
    `${capital(he)} gave ${away} of them to ${b} and later found ${more} more.`,
    `${capital(he)} lost ${away} ${thing}, but then ${b} gave ${a} ${more} ${thing}.`,
    `After handing ${away} of them to ${b}, ${he} bought ${more} new ones.`,
  ]);
  const ending = dice.of([
    `How many ${thing} does ${a} have now?`,
    `How many ${thing} did ${he} end up with?`,
  ]);
  return { text: `${opening} ${middle} ${ending}`, answer: start - away + more };
};

const boxesEmptied: Shape = (cast) => {
  const { dice, a, he, thing, n } = cast;
  const [boxes, each] = [n(3, 12), n(6, 25)];
  const used = n(2, boxes * each - 1);
  const box = dice.of(['box', 'jar', 'bag', 'tray']);
  const boxesWord = box === 'box' ? 'boxes' : `${box}s`;
  const text = dice.of([
    `${a} filled ${say(cast, boxes)} ${boxesWord} with ${each} ${thing} each. Afterwards ${he} sold ${used} ${thing}. How many ${thing} were left?`,
    `There are ${each} ${thing} in every ${box}, and ${a} has ${boxes} ${boxesWord}. If ${he} gives away ${used} ${thing}, how many ${thing} remain?`,
    `${a} bought ${say(cast, boxes)} ${boxesWord} of ${thing}. Each ${box} contained ${each} ${thing}. ${capital(he)} used ${used} of the ${thing}. How many ${thing} does ${a} still have?`,
  ]);
  return { text, answer: boxes * each - used };
};

const shopping: Shape = (cast) => {
  const { dice, a, he, n } = cast;
  const [cheap, dear, x, y] = [n(2, 6), n(7, 15), n(2, 6), n(2, 5)];
  const [p, q] = dice.of([
    ['mug', 'plate'],
    ['candle', 'vase'],
    ['ruler', 'calculator'],
    ['cap', 'scarf'],
  ] as const);
  const text = dice.of([
    `A ${p} costs $${cheap} and a ${q} costs $${dear}. How much does ${a} pay for ${x} ${p}s and ${y} ${q}s?`,
    `${a} bought ${x} ${p}s at $${cheap} each and ${y} ${q}s at $${dear} each. What was the total cost?`,
    `At the market, ${p}s are sold for $${cheap} each and ${q}s for $${dear} each. ${a} takes ${x} ${p}s and ${y} ${q}s. How many dollars does ${he} spend in all?`,
  ]);
  return { text, answer: cheap * x + dear * y };
};

const changeBack: Shape = (cast) => {
  const { dice, a, he, n } = cast;
  const [price, count] = [n(2, 9), n(3, 9)];
  const note = price * count <= 50 ? 50 : 100;
  const item = dice.of(['notepad', 'sandwich box', 'water bottle', 'comic']);
  const text = dice.of([
    `${a} buys ${say(cast, count)} ${item}${item.endsWith('x') ? 'es' : 's'} for $${price} each and pays with a $${note} bill. How much change does ${he} get?`,
    `One ${item} costs $${price}. ${a} has $${note} and buys ${count} of them. How much money is left?`,
  ]);
  return { text, answer: note - price * count };
};

const wages: Shape = (cast) => {
  const { dice, a, he, n } = cast;
  const [pay, hours, days] = [n(9, 20), n(3, 8), n(3, 6)];
  const text = dice.of([
    `${a} works as a gardener and earns $${pay} an hour. ${capital(he)} works ${hours} hours a day, ${days} days a week. How much does ${he} earn in one week?`,
    `For every hour of tutoring ${a} is paid $${pay}. Last week ${he} tutored ${hours} hours on each of ${days} days. How much money did ${he} make?`,
    `A cafe pays ${a} $${pay} per hour. How much will ${he} earn by working ${hours} hours per day for ${days} days?`,
  ]);
  return { text, answer: pay * hours * days };
};

const twoPeople: Shape = (cast) => {
  const { dice, a, b, thing, n } = cast;
  const [base, extra, factor] = [n(8, 40), n(3, 15), n(2, 5)];
  const word = factor === 2 ? 'twice' : `${numberWords[factor] ?? ''} times`;
  return dice.of([
    {
      text: `${b} has ${base} ${thing}. ${a} has ${extra} more ${thing} than ${b}. How many ${thing} do they have together?`,
      answer: 2 * base + extra,
    },
    {
      text: `${a} collected ${word} as many ${thing} as ${b}. If ${b} collected ${base} ${thing}, how many did they collect in total?`,
      answer: base * (factor + 1),
    },
    {
      text: `${b} picked ${base + extra} ${thing}, and ${a} picked ${extra} fewer than ${b}. How many ${thing} did the two of them pick altogether?`,
      answer: 2 * base + extra,
    },
    {
      text: `${a} has ${word} as many ${thing} as ${b}, who has ${base}. How many more ${thing} does ${a} have than ${b}?`,
      answer: base * (factor - 1),
    },
  ]);
};

const journey: Shape = (cast) => {
  const { dice, a, he, n } = cast;
  const [v1, t1, v2, t2] = [n(30, 70), n(2, 5), n(20, 60), n(2, 4)];
  return dice.of([
    {
      text: `A truck travels ${v1} kilometers per hour. How many kilometers does it cover in ${t1} hours?`,
      answer: v1 * t1,
    },
    {
      text: `${a} drove ${v1 * t1} miles in ${t1} hours. What was ${a}'s average speed in miles per hour?`,
      answer: v1,
    },
    {
      text: `${a} drives at ${v1} miles per hour for ${t1} hours, and then at ${v2} miles per hour for ${t2} hours. How far does ${he} drive in total?`,
      answer: v1 * t1 + v2 * t2,
    },
    {
      text: `A ferry sails at a speed of ${v2} miles per hour. How many hours does it need for a trip of ${v2 * t1} miles?`,
      answer: t1,
    },
  ]);
};

const sharing: Shape = (cast) => {
  const { dice, a, he, thing, n } = cast;
  const [friends, each, kept] = [n(3, 9), n(4, 12), n(2, 10)];
  return dice.of([
    {
      text: `${a} shares ${friends * each} ${thing} equally among ${friends} friends. How many ${thing} does each friend receive?`,
      answer: each,
    },
    {
      text: `${a} has ${friends * each + kept} ${thing}. ${capital(he)} puts ${kept} aside and divides the rest equally between ${friends} children. How many ${thing} does each child get?`,
      answer: each,
    },
    {
      text: `${friends * each} ${thing} are packed into boxes of ${each}. How many boxes are needed?`,
      answer: friends,
    },
  ]);
};

const fractions: Shape = (cast) => {
  const { dice, a, he, thing, n } = cast;
  const part = dice.of([
    ['half', 2],
    ['a third', 3],
    ['a quarter', 4],
    ['one fifth', 5],
  ] as const);
  const unit = n(4, 15);
  const start = part[1] * unit;
  const lost = n(1, 3);
  return dice.of([
    {
      text: `${a} had ${start} ${thing}. ${capital(he)} gave ${part[0]} of them away. How many ${thing} are left?`,
      answer: start - unit,
    },
    {
      text: `There were ${start} ${thing} in a basket. ${a} took ${part[0]} of the ${thing} and then dropped ${lost} of hers. How many ${thing} stayed in the basket?`,
      answer: start - unit,
    },
    {
      text: `${capital(part[0])} of the ${start} pupils in a school choir are boys. How many girls sing in the choir?`,
      answer: start - unit,
    },
  ]);
};

const percentages: Shape = (cast) => {
  const { dice, a, n } = cast;
  const percent = dice.of([10, 20, 25, 50]);
  const base = 20 * n(2, 12);
  return dice.of([
    {
      text: `A coat costs $${base}. During a sale it is ${percent}% off. How much does the coat cost now?`,
      answer: (base * (100 - percent)) / 100,
    },
    {
      text: `${a} had $${base} and spent ${percent}% of it on a gift. How much money does ${a} have left?`,
      answer: (base * (100 - percent)) / 100,
    },
    {
      text: `A town has ${base} shops. ${percent}% of them are closed on Sunday. How many shops are open on Sunday?`,
      answer: (base * (100 - percent)) / 100,
    },
  ]);
};

const ages: Shape = (cast) => {
  const { dice, a, b, n } = cast;
  const [young, gap, later, factor] = [n(5, 14), n(2, 9), n(3, 10), n(2, 4)];
  return dice.of([
    {
      text: `${b} is ${young} years old. ${a} is ${gap} years older than ${b}. How old will ${a} be in ${later} years?`,
      answer: young + gap + later,
    },
    {
      text: `${a} is ${factor === 2 ? 'twice' : `${factor} times`} as old as ${b}. ${b} is ${young}. How old is ${a}?`,
      answer: young * factor,
    },
    {
      text: `${a} is ${young + gap} years old, and ${b} is ${gap} years younger. What is the sum of their ages?`,
      answer: 2 * young + gap,
    },
  ]);
};

const rowsAndSeats: Shape = (cast) => {
  const { dice, n } = cast;
  const [rows, seats] = [n(6, 15), n(8, 20)];
  const taken = n(10, rows * seats - 5);
  const text = dice.of([
    `A cinema has ${rows} rows with ${seats} seats in each row. ${taken} seats are occupied. How many seats are empty?`,
    `In an auditorium there are ${rows} rows of ${seats} chairs. If ${taken} people are seated, how many chairs are free?`,
  ]);
  return { text, answer: rows * seats - taken };
};

const reading: Shape = (cast) => {
  const { dice, a, he, n } = cast;
  const [perDay, days] = [n(8, 30), n(4, 12)];
  const extra = n(10, 60);
  return dice.of([
    {
      text: `${a} reads ${perDay} pages a day. How many pages will ${he} have read after ${days} days?`,
      answer: perDay * days,
    },
    {
      text: `A novel has ${perDay * days} pages. ${a} reads ${perDay} pages every evening. How many days will it take ${a} to finish the novel?`,
      answer: days,
    },
    {
      text: `${a} is reading a book with ${perDay * days + extra} pages. ${capital(he)} reads ${perDay} pages each day. How many pages are left after ${days} days?`,
      answer: extra,
    },
  ]);
};

const weekOfSales: Shape = (cast) => {
  const { dice, a, n } = cast;
  const [x, y, z, price] = [n(12, 40), n(12, 40), n(12, 40), n(2, 6)];
  const good = dice.of(['cupcakes', 'newspapers', 'bouquets', 'bagels']);
  return dice.of([
    {
      text: `A stall sold ${x} ${good} on Monday, ${y} on Tuesday and ${z} on Wednesday. How many ${good} did it sell over the three days?`,
      answer: x + y + z,
    },
    {
      text: `${a} sold ${x} ${good} on Friday and ${y} ${good} on Saturday for $${price} each. How much money did ${a} take in?`,
      answer: (x + y) * price,
    },
    {
      text: `On Saturday ${a} sold ${x} ${good}. On Sunday ${a} sold ${price} times as many. How many ${good} were sold on both days together?`,
      answer: x * (price + 1),
    },
  ]);
};

const rectangles: Shape = (cast) => {
  const { dice, n } = cast;
  const [w, l] = [n(3, 12), n(13, 30)];
  const place = dice.of(['playground', 'vegetable patch', 'meadow', 'courtyard']);
  return dice.of([
    {
      text: `A ${place} is ${l} meters long and ${w} meters wide. What is its area in square meters?`,
      answer: w * l,
    },
    {
      text: `The length of a ${place} is ${l} meters and its width is ${w} meters. How many meters of fence are needed to go around it?`,
      answer: 2 * (w + l),
    },
  ]);
};

const saving: Shape = (cast) => {
  const { dice, a, he, n } = cast;
  const [weekly, weeks, have] = [n(4, 20), n(3, 12), n(5, 40)];
  return dice.of([
    {
      text: `${a} wants a scooter that costs $${weekly * weeks + have}. ${capital(he)} already has $${have} and saves $${weekly} each week. How many weeks will it take until ${he} can buy it?`,
      answer: weeks,
    },
    {
      text: `${a} had $${have}. ${capital(he)} saved $${weekly} a week for ${weeks} weeks. How much money does ${a} have now?`,
      answer: have + weekly * weeks,
    },
    {
      text: `${a} needs $${weekly * weeks + have} for a trip and has saved $${have} so far. How much more money does ${he} need?`,
      answer: weekly * weeks,
    },
  ]);
};

const averages: Shape = (cast) => {
  const { dice, a, n } = cast;
  const mean = n(10, 40);
  const [d1, d2] = [n(1, 8), n(1, 8)];
  const values = [mean - d1, mean + d2, mean + d1 - d2];
  const text = dice.of([
    `${a} scored ${values.join(', ').replace(/, (\d+)$/, ' and $1')} points in three games. What was ${a}'s average score per game?`,
    `The temperatures on three days were ${values.join(', ').replace(/, (\d+)$/, ' and $1')} degrees. What was the average temperature?`,
  ]);
  return { text, answer: mean };
};

const production: Shape = (cast) => {
  const { dice, a, n } = cast;
  const [rate, count, days] = [n(3, 9), n(4, 12), n(2, 7)];
  return dice.of([
    {
      text: `One hen lays ${rate} eggs a week. How many eggs do ${count} hens lay in ${days} weeks?`,
      answer: rate * count * days,
    },
    {
      text: `A machine makes ${rate * 10} bolts per hour. How many bolts do ${count} machines make in ${days} hours?`,
      answer: rate * 10 * count * days,
    },
    {
      text: `${a} knits a hat in ${rate} hours. How many hours does ${a} need for ${count} hats?`,
      answer: rate * count,
    },
  ]);
};

export const shapes: Readonly<Record<string, Shape>> = {
  comesAndGoes,
  boxesEmptied,
  shopping,
  changeBack,
  wages,
  twoPeople,
  journey,
  sharing,
  fractions,
  percentages,
  ages,
  rowsAndSeats,
  reading,
  weekOfSales,
  rectangles,
  saving,
  averages,
  production,
};

/** As many problems as asked for; the shapes take turns in an order that the seed decides. */
export function generateProblems(seed: number, count: number): Problem[] {
  const dice = new Dice(seed);
  const names = Object.keys(shapes);
  const offset = dice.roll(0, names.length - 1);
  return Array.from({ length: count }, (_, index) => {
    const name = names[(offset + index * 5) % names.length] ?? '';
    const shape = shapes[name];
    if (shape === undefined) throw new RangeError(`no shape ${name}`);
    return { shape: name, ...shape(castOf(dice)) };
  });
}
