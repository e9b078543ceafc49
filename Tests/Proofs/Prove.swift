// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The program behind `Scripts/prove`: measures what the project claims, and fails where it falls
/// short.
@main
struct Prove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Measures what Playhead claims.",
        discussion: "EXIT STATUS: 0 the claim holds; 1 it falls short, or cannot be measured here.",
        subcommands: [
            CorpusProof.self, CadenceProof.self, SynchronyProof.self, PullCostProof.self,
            PacingProof.self, SlotsProof.self, FilmsProof.self, ClipsProof.self,
            ItemTimeProof.self, AnchorProof.self, TwoPlayersProof.self, HostileProof.self,
            LoopsProof.self, ColorProof.self, RenderCostProof.self, RatesProof.self,
            SeekProof.self, SeekStormProof.self, PropertyProof.self, SoundSyncProof.self,
            SoundCostProof.self, UnderrunsProof.self,
            StallsProof.self, InspectProof.self, SurveyProof.self, ThumbnailsProof.self,
            ConformanceProof.self, FusionProof.self, ReloadProof.self, RenderProof.self,
            AtlasProof.self, KeyerProof.self, SessionProof.self, FirstPictureProof.self,
        ])
}
