import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidocsplatform.docsplatform.DocsplatformFunctions;
import io.github.pulumidocsplatform.docsplatform.inputs.FeatureAvailabilityArgs;
import io.github.pulumidocsplatform.docsplatform.outputs.FeatureAvailabilityResult;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var offered = DocsplatformFunctions.featureAvailability(FeatureAvailabilityArgs.builder()
            .deploymentType("air-gapped")
            .build());

        ctx.export("documentationSearch", offered.applyValue(FeatureAvailabilityResult::documentationSearch));
        ctx.export("staticExportBundle", offered.applyValue(FeatureAvailabilityResult::staticExportBundle));
    }
}
