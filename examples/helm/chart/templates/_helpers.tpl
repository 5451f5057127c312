{{- define "docs-site.name" -}}
{{ .Release.Name | trunc 53 | trimSuffix "-" }}
{{- end }}

{{- define "docs-site.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "docs-site.labels" -}}
{{ include "docs-site.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{/*
The Secret that holds the link. One of External Secrets has the job in its name: the pods of a new job wait for its link, and
never fetch by the link of the job before.
*/}}
{{- define "docs-site.secret" -}}
{{- $name := printf "%s-link" (include "docs-site.name" .) }}
{{- if .Values.staticExport.externalSecret }}
{{- printf "%s-%s" $name (.Values.staticExport.version | sha256sum | trunc 10) }}
{{- else }}
{{- .Values.staticExport.existingSecret | default $name }}
{{- end }}
{{- end }}

{{/* The link, where it is one that the pods take. The message must not show it: it may be signed. */}}
{{- define "docs-site.link" -}}
{{- $https := "https://[^/?#@\\s\"\\\\]+" }}
{{- $loopback := "http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]+)?" }}
{{- if not (regexMatch (printf "^(%s|%s)(/[!#-\\[\\]-~]*)?$" $https $loopback) .Values.staticExport.bundleUrl) }}
{{- fail "staticExport.bundleUrl must be an https link without user name (http only to a loopback address)" }}
{{- end }}
{{- .Values.staticExport.bundleUrl }}
{{- end }}

{{/* What the pods read besides the link. */}}
{{- define "docs-site.files" -}}
fetchBundle.sh: |
  {{- .Files.Get "files/fetchBundle.sh" | nindent 2 }}
nginx.conf: |
  {{- .Files.Get "files/nginx.conf" | nindent 2 }}
{{- if .Values.staticExport.image }}
image.conf: |
  {{- .Files.Get "files/image.conf" | nindent 2 }}
{{- end }}
{{- end }}

{{/* The image of the site, on clusters that can mount one. */}}
{{- define "docs-site.image" -}}
{{- if semverCompare "<1.33.0-0" .Capabilities.KubeVersion.Version }}
{{- fail (printf "staticExport.image needs Kubernetes 1.33 or later, which mounts images as volumes (before 1.35 with the feature gate ImageVolume); this cluster has %s. Give staticExport.bundleUrl in its place" .Capabilities.KubeVersion.Version) }}
{{- end }}
{{- .Values.staticExport.image }}
{{- end }}

{{/* Of both containers: the profile "restricted" of the pod security standards, and a file system that cannot be written. */}}
{{- define "docs-site.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Of a container: as given, and unless they say otherwise with a limit of the node's disk, which holds the volumes. */}}
{{- define "docs-site.resources" -}}
{{- $bytes := add (mul 3 (int64 .maxBundleBytes)) 134217728 }}
{{- $disk := dict "limits" (dict "ephemeral-storage" (toString $bytes)) "requests" (dict "ephemeral-storage" "64Mi") }}
{{- toYaml (merge (deepCopy .given) $disk) }}
{{- end }}
