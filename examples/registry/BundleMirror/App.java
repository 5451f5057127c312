import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.BundleMirror;
import io.github.pulumidocsplatform.docsplatform.BundleMirrorArgs;
import io.github.pulumidocsplatform.docsplatform.StaticExport;
import io.github.pulumidocsplatform.docsplatform.StaticExportArgs;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var site = new StaticExport("site", StaticExportArgs.builder()
            .domain("docs.example.com")
            .build());

        var mirror = new BundleMirror("mirror", BundleMirrorArgs.builder()
            .jobId(site.jobId())
            .destination("s3://docs-bundles/site?region=eu-central-1")
            .build());

        ctx.export("url", mirror.url());
        ctx.export("sha256", mirror.sha256());
    }
}
