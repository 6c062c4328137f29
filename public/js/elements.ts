type Kind<Found> = abstract new (...given: never[]) => Found;

/**
 * The first element of a selector that a script cannot do without. Throws where it is not there, or of another kind:
 * that is a mistake in the page's view.
 */
export function need<Found extends Element>(
  kind: Kind<Found>,
  selector: string,
  within: ParentNode = document,
): Found {
  const element = within.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`the page has no ${selector}`);
}
