"use strict";
const filter = document.querySelector(".filter");
if (filter) {
  const input = filter.querySelector("input");
  const shown = filter.querySelector("output");
  const variables = [...document.querySelectorAll(".variable")];
  const apply = () => {
    const wanted = input.value.trim().toLowerCase();
    for (const variable of variables) variable.hidden = !variable.dataset.name.includes(wanted);
    const count = variables.filter((variable) => !variable.hidden).length;
    shown.textContent = `${count} / ${shown.dataset.of}`;
  };
  filter.hidden = false;
  input.addEventListener("input", apply);
  apply();
}
