/** Couples each length's number with its slider, and keeps the shortest below the longest. Returns what sets the longest. */
export function coupleLengths(form) {
  const { min_len: shortest, max_len: longest } = form.elements;
  const sliderOf = (field) => form.querySelector(`[data-slider="${field.name}"]`);

  // Before anybody else hears of it: what is sent are the numbers.
  form.addEventListener(
    "input",
    ({ target }) => {
      const slider = target.dataset.slider;
      if (slider) set(form.elements[slider], target.value);
      else if (target === shortest || target === longest) sliderOf(target).value = target.value;
    },
    { capture: true },
  );

  /** Who moves one over the other moves both; a number that is typed stays as it is, and is refused beside its field. */
  function set(field, value) {
    write(field, value);
    const [low, high] = [Number(shortest.value), Number(longest.value || sliderOf(longest).value)];
    if (low > high) write(field === shortest ? longest : shortest, value);
  }

  function write(field, value) {
    field.value = value;
    sliderOf(field).value = value;
  }

  return (length) => set(longest, length);
}
