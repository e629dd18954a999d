// Dropping files, seeing them go, and how an upload stands. Without it, the form does, and a link.
"use strict";

const stands = document.getElementById("stands");
if (stands && stands.dataset.events) {
  const share = document.getElementById("share");
  const events = new EventSource(stands.dataset.events);
  events.onmessage = (event) => {
    const now = JSON.parse(event.data);
    if (now.said && now.said !== stands.textContent) stands.textContent = now.said;
    if (share && now.total > 1) {
      share.max = now.total;
      share.value = now.done;
    }
    if (now.ended) {
      events.close();
      location.reload();
    }
  };
}

const form = document.querySelector("form.upload");
if (form) {
  const files = form.querySelector("input[type=file]");
  const refused = document.getElementById("refused");
  const sending = document.getElementById("sending");
  const button = form.querySelector("button[type=submit]");

  const refuse = (words) => {
    refused.textContent = words;
    refused.hidden = false;
    refused.scrollIntoView({ block: "nearest" });
    sending.hidden = true;
    button.disabled = false;
  };

  const send = () => {
    const request = new XMLHttpRequest();
    const bar = sending.querySelector("progress");
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total;
    };
    request.onload = () => {
      if (request.status === 200) return location.assign(request.responseURL);
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      const said = page.querySelector("[role=alert]:not([hidden])") || page.querySelector("main p");
      refuse(said ? said.textContent.trim() : "This did not work.");
    };
    request.onerror = () => refuse("The line broke off. Send it again.");
    request.open("POST", form.action);
    refused.hidden = true;
    sending.hidden = false;
    button.disabled = true;
    request.send(new FormData(form));
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const size = [...files.files].reduce((sum, file) => sum + file.size, 0);
    if (size > Number(form.dataset.limit)) refuse(`This is too large: at most ${form.dataset.most} are taken at once.`);
    else send();
  });

  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer || ![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      form.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) {
        files.files = event.dataTransfer.files;
        files.focus();
      }
    });
  }
}
