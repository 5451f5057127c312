import pulumi
import pulumi_docs_platform as docs

offered = docs.feature_availability_output(deployment_type="air-gapped")

pulumi.export("documentationSearch", offered.documentation_search)
pulumi.export("staticExportBundle", offered.static_export_bundle)
