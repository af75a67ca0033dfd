type Texts = Readonly<Record<string, string>>;

/** What is wrong with a bundle whose keys are the texts themselves, each in a line. */
export function problemsOfBundle(
  file: string,
  options:
    | { readonly extracted: Texts; readonly english: Texts }
    | { readonly extracted: Texts; readonly translated: Texts },
): readonly string[];
/** What is wrong with the texts of a package.json in English or, with `translated`, in another language. */
export function problemsOfManifest(
  file: string,
  options: { readonly manifest: unknown; readonly english: Texts; readonly translated?: Texts },
): readonly string[];
