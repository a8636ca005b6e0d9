// Browsers do not send the fragment to the server, so only the form can keep it.
document.querySelector('.sign-in')?.addEventListener('submit', ({ currentTarget: { elements } }) => {
  if (location.hash !== '') elements.next.value = elements.next.value.split('#', 1)[0] + location.hash;
});
for (const shortened of document.querySelectorAll('code[title]')) {
  if (navigator.clipboard === undefined) break;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.ariaLabel = `Copy ${shortened.title}`;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(shortened.title);
    button.textContent = 'Copied';
  });
  (shortened.closest('a') ?? shortened).after(button);
}
document.addEventListener('keydown', (event) => {
  const search = document.querySelector('.search input');
  const isTyping = event.target.closest('input, select, textarea') !== null;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping || search === null) return;
  event.preventDefault();
  search.focus();
});
