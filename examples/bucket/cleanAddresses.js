// A function of CloudFront for viewer requests, in front of a bucket's REST endpoint: /guide is guide.html, /guide/ is guide/index.html.
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it
function handler(event) {
  const request = event.request;
  const name = request.uri.split("/").pop();
  if (name === "") {
    request.uri += "index.html";
  } else if (!name.includes(".")) {
    request.uri += ".html";
  }
  return request;
}
