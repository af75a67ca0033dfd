import { invert } from './nouns.ts';

/** What a verb does to the amount beside it. */
export type VerbClass =
  /** States how much there is. */
  | 'have'
  | 'be'
  /** Adds to what the subject has. */
  | 'gain'
  | 'buy'
  | 'earn'
  /** Takes from what the subject has. */
  | 'lose'
  | 'give'
  | 'sell'
  | 'pay'
  /** Adds to the subject, takes from somebody else. */
  | 'take'
  /** The subject itself comes or goes. */
  | 'arrive'
  | 'depart'
  /** Splits into equal parts. */
  | 'divide'
  /** Gives a price. */
  | 'cost'
  /** States what is wanted, not what there is. */
  | 'need'
  /** Anything that is done and can be counted: reading, running, working. */
  | 'do';

const verbsByClass: Readonly<Record<VerbClass, string>> = {
  have: 'have own contain hold possess carry include seat fit accommodate store consist measure weigh start begin keep',
  be: 'be cover',
  gain:
    'rise get receive pick collect find gather win make bake build catch grow plant harvest gain add download adopt borrow ' +
    'hatch produce create cook knit sew prepare inherit acquire obtain accumulate draw paint fill print lay bring ' +
    'discover recycle deliver invite hire stock pack assemble raise photograph fold manufacture craft record learn',
  buy: 'buy purchase order',
  earn: 'earn save deposit',
  lose:
    'lose eat use drop break burn remove die fly drink consume delete burst pop discard melt disappear withdraw rot ' +
    'spill throw fall waste wilt steal feed tear crack bury finish destroy spoil leak evaporate flow damage cancel ' +
    'erase cut subtract decrease reduce deduct shrink',
  give: 'give donate lend mail send hand distribute pass ship return contribute gift offer present award',
  sell: 'sell',
  pay: 'pay spend tip invest donate',
  take: 'take',
  arrive: 'arrive join come enter board move park hop climb land appear increase',
  depart: 'leave depart go exit escape quit graduate drive_away swim_away walk_away retire',
  divide: 'divide share split',
  cost: 'cost charge sell_for price rent',
  need: 'need want require must plan hope wish aim try intend',
  do:
    'do read run walk drive ride work travel cycle swim jog write solve study practice practise watch play score swing jump ' +
    'burn_calories complete visit see sit stand sleep attend answer hike mow wash clean type fix repair deliver row ' +
    'cover answer pump process serve live last spread stretch burst_out dig load sort edit pour charge_up post ' +
    'sing dance train lift throw_out exercise bike skate sail sample enjoy attempt pay_out call produce water teach hear ' +
    'set put place pack_up wear arrange line stack turn pass_by let help show tell ask continue decide happen reach exchange trade average equal meet pull push stay remain share_out check count cross say know think become form',
};

/** Base form, then the forms that do not follow the rules. */
const irregularForms =
  'rise=rose,risen have=has,had,having be=is,are,was,were,been,am,being get=got,gets,gotten find=found win=won ' +
  'make=made build=built catch=caught grow=grew,grown draw=drew,drawn lay=laid,lay bring=brought ' +
  'buy=bought lose=lost eat=ate,eaten break=broke,broken burn=burnt die=died fly=flew,flown,flies ' +
  'drink=drank,drunk throw=threw,thrown fall=fell,fallen steal=stole,stolen feed=fed tear=tore,torn ' +
  'give=gave,given lend=lent send=sent sell=sold pay=paid spend=spent take=took,taken come=came ' +
  'leave=left go=went,gone,goes divide=split,splits,divided cost=cost write=wrote,written run=ran ' +
  'drive=drove,driven ride=rode,ridden swim=swam,swum see=saw,seen sit=sat stand=stood sleep=slept ' +
  'hide=hid hold=held keep=kept begin=began,begun cut=cut sew=sewed know=knew read=read set=set put=put ' +
  'wear=wore,worn do=did,does,done withdraw=withdrew shrink=shrank sing=sang dig=dug teach=taught ' +
  'hear=heard fit=fit lead=led tell=told say=said become=became meet=met shine=shone freeze=froze ' +
  'choose=chose hit=hit think=thought show=showed let=let carry=carries ship=ships';

const forms = new Map<string, string>();

const classes = new Map<string, VerbClass>();

for (const [verbClass, words] of Object.entries(verbsByClass) as [VerbClass, string][]) {
  for (const verb of words.split(' ')) {
    if (!classes.has(verb)) classes.set(verb, verbClass);
    for (const form of regularForms(verb)) if (!forms.has(form)) forms.set(form, verb);
  }
}

for (const [form, verb] of invert(irregularForms)) forms.set(form, verb);

function regularForms(verb: string): string[] {
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb;
  const ied = /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${stem}ed`;
  const doubled = `${verb}${verb.at(-1) ?? ''}`;
  const third = /[^aeiou]y$/.test(verb)
    ? `${verb.slice(0, -1)}ies`
    : /(?:s|x|z|ch|sh|o)$/.test(verb)
      ? `${verb}es`
      : `${verb}s`;
  return [verb, third, ied, `${stem}ing`, `${doubled}ed`, `${doubled}ing`];
}

/** The base form of a verb, e.g. `give` for `gave`; undefined for a word that is none. */
export function verbOf(word: string): string | undefined {
  return forms.get(word);
}

export function classOfVerb(verb: string): VerbClass {
  return classes.get(verb) ?? 'do';
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const determiners = set(
  'a an the this that these those each every his her its their our my your some any all both no another many much ' +
    'several few other per enough how',
);

export const prepositions = set(
  'of in on at by for from to with into onto over under between among during after before through about around ' +
    'without within until off up out per as than across along towards behind near inside outside since against',
);

const conjunctions = set(
  'and but or then while so if when because who which that whom where whereas although though',
);

const pronouns = set(
  'he she it they i we you him her them us me who himself herself themselves itself everyone everybody',
);

export const personalPronouns = set('he she i we you they it');

export const auxiliaries = set(
  'will would can could should shall may might must did do does has have had to',
);

const adverbs = set(
  'aside plus minus more less fewer each apiece altogether total together away back also only just already again now still ' +
    'left remaining extra additional later ago old today yesterday tomorrow twice once there here not all equally ' +
    "evenly every daily weekly monthly yearly long wide tall high deep far too exactly how what there's per very " +
    'home off down up out in else instead initially originally finally next last first second third even older younger ' +
    'taller shorter longer heavier lighter farther further faster slower cheaper larger bigger smaller afterwards',
);

/** Whether a word can be part of what a number counts. */
export function mayBeNoun(word: string): boolean {
  return (
    /^[a-z][a-z'-]*$/.test(word) &&
    !determiners.has(word) &&
    !prepositions.has(word) &&
    !conjunctions.has(word) &&
    !pronouns.has(word) &&
    !adverbs.has(word) &&
    !auxiliaries.has(word)
  );
}

const nounLikeVerbs = set(
  'leave book plant cost drink run walk pack share row train save point score print stamp fish order ride drive cut play ' +
    'visit need use tip swim jump work park price charge water box bag paint fold record stock lift bike hike line ' +
    'stack ship draw seat sample catch rest hand post exercise practice study file gift present offer mail land ' +
    'check count cross set feed reach plan press swing dance cover present travel measure mow wash season cook match type ' +
    'place show sail skate form plan meet return set answer question stay lay lie shop spot lead pass watch mark store fit ' +
    'load deposit fall wish fly serve craft burn pump call plane study trade average equal mean pull push drop waste',
);

/** Whether a form such as `plants` or `drinks` is as likely a noun. */
export function isNounLikeVerb(form: string): boolean {
  const verb = verbOf(form);
  const isPresent =
    verb !== undefined &&
    !form.endsWith('ed') &&
    !form.endsWith('ing') &&
    (form === verb || form.endsWith('s'));
  return isPresent && nounLikeVerbs.has(verb);
}
