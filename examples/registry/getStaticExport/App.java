import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.DocsplatformFunctions;
import io.github.pulumidocsplatform.docsplatform.StaticExport;
import io.github.pulumidocsplatform.docsplatform.StaticExportArgs;
import io.github.pulumidocsplatform.docsplatform.inputs.GetStaticExportArgs;
import io.github.pulumidocsplatform.docsplatform.outputs.GetStaticExportResult;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var site = new StaticExport("site", StaticExportArgs.builder()
            .domain("docs.example.com")
            .build());

        var found = DocsplatformFunctions.getStaticExport(GetStaticExportArgs.builder()
            .jobId(site.jobId())
            .build());

        ctx.export("status", found.applyValue(GetStaticExportResult::status));
        ctx.export("pageCount", found.applyValue(GetStaticExportResult::pageCount));
    }
}
