{{- define "docs-site.enabled" -}}
{{- if and .Values.enabled .Values.staticExport.enabled }}true{{ end }}
{{- end }}

{{/*
The name of the objects. A parent chart may have this chart twice under two aliases, and a release may have dots in its name. A
name that a Service cannot have gets a checksum, so that two such names never become one.
*/}}
{{- define "docs-site.name" -}}
{{- $long := .Release.Name }}
{{- if not .Chart.IsRoot }}
{{- $long = printf "%s-%s" .Release.Name .Chart.Name }}
{{- end }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride }}
{{- else if regexMatch "^[a-z]([a-z0-9-]{0,51}[a-z0-9])?$" $long }}
{{- $long }}
{{- else }}
{{- $short := regexReplaceAll "[^a-z0-9]" (lower $long) "-" | trunc 43 | trimSuffix "-" }}
{{- printf "%s-%s" (regexReplaceAll "^([0-9])" $short "n$1") ($long | sha256sum | trunc 8) }}
{{- end }}
{{- end }}

{{- define "docs-site.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name | trunc 63 | trimAll "-_" }}
app.kubernetes.io/instance: {{ include "docs-site.name" . }}
{{- end }}

{{- define "docs-site.labels" -}}
{{ include "docs-site.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimAll "-_" }}
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
{{- if not .Values.staticExport.image }}
fetchBundle.sh: |
  {{- .Files.Get "files/fetchBundle.sh" | nindent 2 }}
{{- end }}
nginx.conf: |
  {{- tpl (.Files.Get "files/nginx.conf") . | nindent 2 }}
types.conf: |
  {{- .Files.Get "files/types.conf" | nindent 2 }}
{{- end }}

{{/* The image of the site, on clusters that can mount one. */}}
{{- define "docs-site.image" -}}
{{- if semverCompare "<1.33.0-0" .Capabilities.KubeVersion.Version }}
{{- fail (printf "staticExport.image needs Kubernetes 1.33 or later, which mounts images as volumes (before 1.35 with the feature gate ImageVolume); this cluster has %s. Give staticExport.bundleUrl in its place. `helm template` asks no cluster and assumes this version: name yours by --kube-version" .Capabilities.KubeVersion.Version) }}
{{- end }}
{{- .Values.staticExport.image }}
{{- end }}

{{/* Of a pod. OpenShift gives each namespace its own range of users, and refuses any other one. */}}
{{- define "docs-site.podSecurityContext" -}}
runAsNonRoot: true
{{- if not (.Capabilities.APIVersions.Has "security.openshift.io/v1") }}
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* Of both containers: the profile "restricted" of the pod security standards, and a file system that cannot be written. */}}
{{- define "docs-site.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/*
Of a container: as given, and unless they say otherwise with room on the node's disk, which holds the volumes. Request and limit
are the same, since some platforms make them so.
*/}}
{{- define "docs-site.resources" -}}
{{- $given := merge (dict) (.given.limits | default dict) (.given.requests | default dict) }}
{{- $disk := dict "ephemeral-storage" (index $given "ephemeral-storage" | default .disk | toString) }}
{{- toYaml (merge (deepCopy .given) (dict "limits" $disk "requests" $disk)) }}
{{- end }}
