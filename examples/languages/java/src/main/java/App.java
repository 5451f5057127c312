import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.DocsplatformFunctions;
import io.github.pulumidocsplatform.docsplatform.ExportBundle;
import io.github.pulumidocsplatform.docsplatform.ExportBundleArgs;
import io.github.pulumidocsplatform.docsplatform.StaticExport;
import io.github.pulumidocsplatform.docsplatform.StaticExportArgs;
import io.github.pulumidocsplatform.docsplatform.inputs.ExportBundleLinkArgs;
import io.github.pulumidocsplatform.docsplatform.inputs.HelmValuesArgs;
import java.util.Map;

public class App {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
            var site = new StaticExport("site", StaticExportArgs.builder()
                .domain("docs.example.com")
                .build());
            var bundle = new ExportBundle("bundle", ExportBundleArgs.builder()
                .jobId(site.jobId())
                .build());
            var values = DocsplatformFunctions.helmValues(HelmValuesArgs.builder()
                .bundle(ExportBundleLinkArgs.builder()
                    .bundleUrl(bundle.bundleUrl())
                    .version(bundle.version())
                    .build())
                .build());

            ctx.export("jobId", site.jobId());
            ctx.export("version", bundle.version());
            ctx.export("expiresAt", bundle.expiresAt());
            ctx.export("bundleUrl", bundle.bundleUrl());
            ctx.export("values", values.applyValue(found -> Map.of("staticExport", found.staticExport())));
        });
    }
}
