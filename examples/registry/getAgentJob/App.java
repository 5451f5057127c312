import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.DocsplatformFunctions;
import io.github.pulumidocsplatform.docsplatform.inputs.GetAgentJobArgs;
import io.github.pulumidocsplatform.docsplatform.outputs.GetAgentJobResult;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var job = DocsplatformFunctions.getAgentJob(GetAgentJobArgs.builder()
            .jobId("job-1")
            .projectId("docs")
            .build());

        ctx.export("status", job.applyValue(GetAgentJobResult::status));
        ctx.export("prLink", job.applyValue(GetAgentJobResult::prLink));
    }
}
