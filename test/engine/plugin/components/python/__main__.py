from typing import Optional, TypedDict

import pulumi
import pulumi_docs_platform as docs
from pulumi.provider.experimental import component_provider_host


class SiteArgs(TypedDict):
    domain: pulumi.Input[str]


class Site(pulumi.ComponentResource):
    version: pulumi.Output[str]
    bundle_url: pulumi.Output[str]

    def __init__(self, name: str, args: SiteArgs, opts: Optional[pulumi.ResourceOptions] = None):
        super().__init__("company-docs:index:Site", name, {}, opts)
        below = pulumi.ResourceOptions(parent=self)
        site = docs.StaticExport(name, domain=args["domain"], opts=below)
        bundle = docs.ExportBundle(name, job_id=site.job_id, opts=below)
        self.version = bundle.version
        self.bundle_url = bundle.bundle_url
        self.register_outputs({"version": self.version, "bundleUrl": self.bundle_url})


if __name__ == "__main__":
    component_provider_host(name="company-docs", components=[Site])
