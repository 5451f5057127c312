#!/bin/sh
# Fetches the bundle of a static export and unpacks it, before the pod's web server starts.
#
# Environment:
#   BUNDLE_VERSION     the version to serve; may be empty. An existing site of this version is kept
#   BUNDLE_SHA256      the sha256 of the archive, 64 hexadecimal digits. If empty, any archive is accepted
#   LINK_FILE          the file with the link. curl gets the link by standard input, so no other process can see it
#   LINK_SECRET        the name of the Secret that the file comes from, for messages
#   SITE_DIR           the folder for the result: bundle/pages and bundle/marker appear in one step
#   OUTER_FOLDER       `remove` or `keep` a folder around the whole site. If empty, the links of the pages decide
#   MAX_BYTES          the largest size of the archive, and of its unpacked content
#   TERMINATION_LOG    the file for the reason of a failure
#
# Needs a POSIX shell with curl, tar, gzip, unzip and the usual small tools, from BusyBox or GNU. An archive that is
# packed by zstd also needs zstd.
set -eu
export LC_ALL=C
umask 022

bundle=$SITE_DIR/bundle
work=$SITE_DIR/unfinished
archive=$work/archive
name=${BUNDLE_VERSION:+version }${BUNDLE_VERSION:-the bundle}
wanted=$(printf %s "$BUNDLE_SHA256" | tr A-F a-f)
most_tries=3
# The limits of the mirror. An archive of a few kilobytes may contain more names than the pod's memory can hold.
most_entries=100000
most_levels=32
most_path_bytes=1024

fail() {
  printf 'The site%s cannot be served: %s\n' "${BUNDLE_VERSION:+ of version $BUNDLE_VERSION}" "$1" | tee "$TERMINATION_LOG" >&2
  exit 1
}

# Fails and prints the sizes if the volume is full. On a full disk, a tool may print any error, or none.
require_room() {
  if head -c 65536 /dev/zero 2>/dev/null >"$work/room"; then
    rm "$work/room"
  else
    size=$(wc -c <"$archive" 2>/dev/null || echo 0)
    free=$(df -Pk "$work" | awk 'END { print $4 * 1024 }')
    fail "the disk is full at the step \"$1\": $size bytes of the archive are here, its content may need up to \
maxBundleBytes ($MAX_BYTES), and $free bytes are free. Free some space on the node, or set \
resources.fetch.requests.ephemeral-storage, so that the pod starts on a node with room for both."
  fi
}

write_failed() {
  require_room "$1"
  fail "the step \"$1\" cannot write to the volume."
}

is_there() {
  [ -f "$bundle/marker" ] || return 1
  if [ -n "$wanted" ]; then
    grep -qxF "sha256=$wanted" "$bundle/marker"
  else
    grep -qxF "version=$BUNDLE_VERSION" "$bundle/marker"
  fi
}

# Sets `link`, and `protocols` to those that the link may use.
read_link() {
  [ -r "$LINK_FILE" ] || fail "the Secret $LINK_SECRET has no key bundleUrl."
  link=$(cat "$LINK_FILE")
  case $link in
    *[!!-~]* | *[\"\\]*) fail "the link in the Secret $LINK_SECRET has a character that no URL has." ;;
    https://?*) protocols='=https' ;;
    # Only for loopback: a port-forward, a sidecar or a test.
    http://127.0.0.1[:/]* | http://localhost[:/]* | 'http://[::1]'[:/]*) protocols='=http' ;;
    *) fail "the link in the Secret $LINK_SECRET is not https." ;;
  esac
  authority=${link#*://}
  case ${authority%%/*} in
    *@*) fail "the link in the Secret $LINK_SECRET has a user name in it." ;;
  esac
}

# Downloads the archive once. Sets `status` to the HTTP status (000 if there is no answer), and `result` to curl's exit
# code.
download() {
  result=0
  status=$(
    printf 'url = "%s"\n' "$link" |
      curl --disable --config - --silent --show-error --fail --globoff --proto "$protocols" \
        --location --max-redirs 3 --proto-redir '=https' \
        --connect-timeout 10 --speed-limit 1024 --speed-time 30 --max-filesize "$MAX_BYTES" \
        --output "$archive" --write-out '%{http_code}' 2>"$work/problem"
  ) || result=$?
}

# Prints curl's own error, without curl's advice, and without a query that may contain a signature.
problem() {
  { grep '^curl: (' "$work/problem" || cat "$work/problem"; } | tail -n 1 | sed 's/[?].*//'
}

# Prints the size of the archive during a long download.
show_progress() {
  while sleep 10 >/dev/null 2>&1; do
    [ ! -f "$archive" ] || echo "$name: $(wc -c <"$archive" | tr -d ' ') bytes of it are here"
  done
}

fetch() {
  show_progress &
  progress=$!
  tries=1
  download
  while [ "$result" -ne 0 ]; do
    case $result:$status in
      1:* | 47:*) fail "the link redirects to no https address, or too often." ;;
      23:*)
        require_room download
        fail "the archive cannot be stored: $(problem). Give maxBundleBytes more room, or the node."
        ;;
      60:* | 77:*) fail "the certificate of the storage is not trusted: $(problem). Set certificateAuthority to its authority." ;;
      63:*) fail "the archive has more than maxBundleBytes ($MAX_BYTES)." ;;
      22:408 | 22:429 | 22:5??) ;;
      22:*) fail "the storage refuses the link with $status: it has expired, or the bundle is gone. Renew it with \
\`pulumi up\`, or write a fresh link into the Secret $LINK_SECRET, key bundleUrl. The next start of this container, \
within five minutes, takes it; nothing has to be rolled out." ;;
    esac
    [ "$tries" -lt "$most_tries" ] || fail "no download in $tries tries, the last ended with: $(problem)."
    sleep $((tries * 2))
    tries=$((tries + 1))
    download
  done
  kill "$progress"
  progress=
}

check_sha256() {
  sha256=$(sha256sum "$archive" | cut -c 1-64)
  [ -z "$wanted" ] || [ "$wanted" = "$sha256" ] ||
    fail "the archive has the sha256 $sha256, and not the $wanted of staticExport.sha256. Nothing was unpacked."
}

# Finds the format by the first bytes, because a file name proves nothing.
find_format() {
  case $(od -A n -t x1 -N 6 "$archive" | tr -d ' \n') in
    1f8b*) format=tar.gz unpacker=gzip ;;
    28b52ffd* | 5?2a4d18*) format=tar.zst unpacker=zstd ;;
    504b0304* | 504b0506*) format=zip unpacker=unzip ;;
    *)
      [ "$(tail -c +258 "$archive" | head -c 5 | tr '\000' ' ')" = ustar ] ||
        fail "the archive is neither .tar (as it is, or packed as .gz or .zst) nor .zip."
      format=tar unpacker=cat
      ;;
  esac
  command -v "$unpacker" >/dev/null ||
    fail "the archive is .$format, and the image of this container has no $unpacker. Give images.fetch an image that has it."
}

# Writes the uncompressed tar to standard output.
plain_tar() {
  if [ "$unpacker" = cat ]; then cat; else "$unpacker" -dc; fi <"$archive"
}

# Fails with the error of the tool. The last lines of GNU tar contain no reason, so they are left out.
damaged() {
  require_room unpack
  fail "the archive is damaged or cut short: $(grep -vE '^$|recoverable|Child returned|failure status' "$1" | tail -n 1)."
}

# Counts the bytes of standard input, because the size that an archive states may be wrong.
check_size() {
  [ "$(head -c $((MAX_BYTES + 1)) | wc -c)" -le "$MAX_BYTES" ] ||
    fail "the archive holds more than maxBundleBytes ($MAX_BYTES)."
}

# Copies names from standard input to $work/names, and stops at the first name that breaks a limit.
keep_names() {
  awk -v entries="$most_entries" -v levels="$most_levels" -v bytes="$most_path_bytes" -v reason="$work/refused" '
    function refuse(what) { print what >reason; exit }
    NR > entries { refuse("more than " entries " entries") }
    {
      path = $0
      # GNU tar writes each byte that is not ASCII as a backslash and three digits.
      gsub(/\\[0-7][0-7][0-7]/, "?", path)
      while (sub(/^\.\//, "", path) || sub(/\/$/, "", path));
      if (length(path) > bytes) refuse("a path of more than " bytes " bytes")
      if (split(path, steps, "/") > levels) refuse("a path of more than " levels " levels")
      print
    }
  ' >"$work/names" || write_failed list
  [ ! -f "$work/refused" ] || fail "the archive holds $(cat "$work/refused")."
  [ ! -f "$work/broken" ] || damaged "$work/listing"
}

# Writes the names of all entries to $work/names, and the types of a tar's entries to $work/types.
list_tar() {
  { plain_tar 2>"$work/problem" || : >"$work/broken"; } | check_size || exit 1
  [ ! -f "$work/broken" ] || damaged "$work/problem"
  { plain_tar 2>/dev/null | tar -tf - 2>"$work/listing" || : >"$work/broken"; } | keep_names
  plain_tar 2>/dev/null | tar -tvf - 2>/dev/null | cut -c 1 >"$work/types" || write_failed list
  ! grep -q '[^d-]' "$work/types" || fail "the archive holds a link or a device."
  [ "$(wc -l <"$work/types")" -eq "$(wc -l <"$work/names")" ] || fail "the archive holds a file name of two lines."
  understands_names || fail "the archive has file names in a form (pax) that the tar of this image does not know. Give \
images.fetch an image with curl and GNU tar."
}

# BusyBox ignores the extended headers that contain long and non-ASCII names. It would unpack such files under wrong
# names.
understands_names() {
  ! tar --version 2>/dev/null | grep -qE 'GNU tar|bsdtar' || return 0
  plain_tar 2>/dev/null | tr '\000' '\n' | awk '
    /^ustar/ { extended = blank >= 99 && kind ~ /^[0-9 ]*[xg]$/ }
    extended && /^[0-9]+ (path|linkpath|size)=/ { found = 1; exit }
    $0 == "" { blank++; next }
    { blank = 0; kind = $0 }
    END { exit found }'
}

list_zip() {
  : >"$work/types"
  # A line begins with size, date, time and three blanks. The rest of the line is the name.
  { unzip -l "$archive" 2>"$work/listing" || : >"$work/broken"; } |
    sed -n 's/^ *[0-9][0-9]* *[0-9-]* *[0-9:]*   //p' | tr '\134' / | sed '$d' | keep_names
  unzip -p "$archive" 2>"$work/problem" | check_size || exit 1
}

check_names() {
  [ -s "$work/names" ] || fail "the archive is empty."
  # BusyBox removes the part of a name that leads out of the archive, and then lists the rest.
  ! grep -q 'removing leading' "$work/listing" || fail "the archive holds a path that leads out of it."
  reason=$(awk -v entries="$most_entries" '
    function refuse(what) { print what; refused = 1; exit }
    FILENAME == ARGV[1] { type[FNR] = $0; next }
    /^\/|(^|\/)\.\.(\/|$)/ { refuse("a path that leads out of it") }
    {
      folder = /\/$/ || type[FNR] == "d"
      while (sub(/^\.\//, "") || sub(/\/$/, "") || sub(/\/\.?\//, "/"));
      if (!folder && files[$0]++) refuse("one path twice")
      # A file that is written through a link has the name of the link as its folder.
      while (sub(/\/[^\/]*$/, "") && !($0 in folders)) {
        folders[$0]
        if (++count > entries) refuse("more than " entries " folders")
      }
    }
    END { if (!refused) for (file in files) if (file in folders) refuse("a path that is a file and a folder") }
  ' "$work/types" "$work/names")
  [ -z "$reason" ] || fail "the archive holds $reason."
}

unpack() {
  mkdir -p "$work/bundle/pages"
  case $format in
    zip) unzip -qo "$archive" -d "$work/bundle/pages" >/dev/null 2>"$work/problem" || damaged "$work/problem" ;;
    *) plain_tar 2>/dev/null | tar -xof - -C "$work/bundle/pages" 2>"$work/problem" || damaged "$work/problem" ;;
  esac
  strange=$(find "$work/bundle/pages" ! -type f ! -type d)$(find "$work/bundle/pages" -type f -links +1)
  [ -z "$strange" ] || fail "the archive holds a link or a device."
  # From a damaged zip, some tools unpack more than they listed.
  find "$work/bundle/pages" -type f -exec cat {} + | check_size || exit 1
  chmod -R a-st,u+rwX,go=rX "$work/bundle/pages"
  [ -n "$(find "$work/bundle/pages" ! -path '*/__MACOSX/*' -type f -name '*.[hH][tT][mM]*')" ] ||
    fail "the archive holds no page (.html)."
}

# Returns true if pages in the folder link to each other through the folder, or if pages beside the folder link to it.
is_linked() {
  encoded=$(printf %s "$1" | sed 's/ /%20/g')
  set -- "$1" "$encoded"
  for folder in "$@"; do
    found=$(
      find "$pages" -type f -name '*.[hH][tT][mM]*' -exec grep -lF -e "\"/$folder/" -e "'/$folder/" -e "=/$folder/" \
        -e "(/$folder/" -e "\"/$folder\"" -e "'/$folder'" {} + || :
      find "$pages" -maxdepth 1 -type f -name '*.[hH][tT][mM]*' -exec grep -lF -e "\"$folder/" -e "'$folder/" \
        -e "=$folder/" -e "\"./$folder/" -e "'./$folder/" {} + || :
    )
    [ -z "$found" ] || return 0
  done
  return 1
}

# Removes the folder around the whole site from the addresses, as a mirror does. It must be the only folder, and have an
# index.html directly in it. Files beside it stay at the root. The files of packing programs do not count.
flatten() {
  pages=$work/bundle/pages
  only=$(cd "$pages" && find . -path './*/*' -type f ! -path './.*' ! -path './__MACOSX/*' ! -name .DS_Store ! -name '._*' |
    cut -d / -f 2 | sort -u)
  around=$([ ! -f "$pages/$only/index.html" ] || echo "$only")
  index=$([ ! -f "$pages/index.html" ] || echo index.html)
  case $OUTER_FOLDER:${around:+folder}:$index in
    keep:*) return 0 ;;
    remove:folder:index.html) fail "the archive holds an index.html beside the folder $around, and one in it. Set outerFolder to keep." ;;
    remove::) fail "the archive holds no single folder around the site that could be removed. Set outerFolder to keep." ;;
    *:folder:) ;;
    *) return 0 ;;
  esac
  if [ -z "$OUTER_FOLDER" ] && is_linked "$around"; then
    echo "the pages address each other through the folder $around of the archive: they are served within it"
    return 0
  fi
  echo "the whole site lies in the folder $around of the archive: it is served without that folder"
  mv "$pages" "$work/nested"
  mv "$work/nested/$around" "$pages"
  for beside in "$work/nested"/* "$work/nested"/.[!.]*; do
    [ -e "$beside" ] || continue
    [ ! -e "$pages/${beside##*/}" ] ||
      fail "the archive holds ${beside##*/} beside the folder $around, and in it. Set outerFolder to keep."
    mv "$beside" "$pages/"
  done
}

# A web server makes the ETag of a file from its time and size, and many archives give all files the same time. A
# browser would then keep an old page if the new page has the same length. So each archive gets its own time, which is
# the same in all pods.
date_files() {
  time=$((1000000000 + 0x$(printf %s "$sha256" | cut -c 1-7)))
  find "$work/bundle/pages" -exec touch -d "@$time" {} +
}

publish() {
  printf 'version=%s\nsha256=%s\n' "$BUNDLE_VERSION" "$sha256" >"$work/bundle/marker" || write_failed move
  [ ! -e "$bundle" ] || mv "$bundle" "$work/replaced"
  mv "$work/bundle" "$bundle"
}

if is_there; then
  echo "$name is here already: nothing is fetched"
  exit 0
fi
# Removes the files of a killed run.
rm -rf "$work"
mkdir -p "$work"
progress=
trap '[ -z "$progress" ] || kill "$progress"; rm -rf "$work"' EXIT
read_link
fetch
check_sha256
find_format
if [ "$format" = zip ]; then list_zip; else list_tar; fi
check_names
unpack
flatten
date_files
publish
echo "unpacked $name: $(wc -l <"$work/names" | tr -d ' ') entries, sha256 $sha256"
