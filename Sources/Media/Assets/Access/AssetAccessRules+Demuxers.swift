// SPDX-License-Identifier: Apache-2.0

extension AssetAccessRules {
    /// Demuxers that read only one stream of bytes, and HLS, which requests every further file from
    /// this library.
    ///
    /// The following demuxers of FFmpeg 5.1 to 9.0 are excluded:
    /// - `dash` and `concat` open files without the application's `io_open`. `imf`, `image2`,
    ///   `vobsub`, `mlv` and `webm_dash_manifest` also read sets of files.
    /// - `sdp`, `rtp`, `rtsp` and `sap` listen on or connect to network addresses themselves.
    /// - `tty` shows any text as a video; `bin`, `xbin` and `idf` are text art; `ffmetadata` is
    ///   text.
    /// - Formats of raw samples without a header (`s16le`, `rawvideo`, …) are never detected.
    /// - Devices: `lavfi`, `fbdev`, `x11grab` and others.
    /// - `avisynth` and `vapoursynth` run scripts.
    public static let standardDemuxers: Set<String> = Set(
        """
        3dostr 4xm aa aac aax ac3 ac4 ace acm act adf adp ads aea afc aiff aix alp amr amrnb
        amrwb anm apac apc ape apm apng aptx aptx_hd apv aqtitle argo_asf argo_brp argo_cvg asf
        asf_o ass ast au av1 avi avr avs avs2 avs3 bethsoftvid bfi bfstm bink binka bit bmp_pipe
        bmv boa bonk brstm c93 caf cavsvideo cdg cdxl cine codec2 cri_pipe daud dcstr dds_pipe
        derf dfa dfpwm dhav dirac dnxhd dpx_pipe dsf dsicin dss dts dtshd dv dvbsub dvbtxt dxa
        ea eac3 epaf evc exr_pipe film_cpk filmstrip fits flac flic flv frm fsb fwse g726 g726le
        g729 gdv gem_pipe genh gif gif_pipe gsm gxf h261 h263 h264 hca hcom hdr_pipe hevc hls
        hnm hxvs iamf ico idcin iff ifv ilbc image2pipe ingenient ipmovie ipu ircam iss iv8 ivf
        ivr j2k_pipe jacosub jpeg_pipe jpegls_pipe jpegxl_anim jpegxl_pipe jpegxs_pipe jv kux
        kvag laf lc3 live_flv lmlm4 loas lrc luodat lvf lxf m4v matroska mca mcc mgsts microdvd
        mjpeg mjpeg_2000 mlp mm mmf mods moflex mov mp4 mp3 mpc mpc8 mpeg mpegts mpegtsraw
        mpegvideo mpjpeg mpl2 mpsub msf msnwctcp msp mtaf mtv musx mv mvi mxf mxg nc nistsphere
        nsp nsv nut nuv obu ogg oma osq paf pam_pipe pbm_pipe pcx_pipe pdv pfm_pipe pgm_pipe
        pgmyuv_pipe pgx_pipe phm_pipe photocd_pipe pictor_pipe pjs pmp png_pipe pp_bnk ppm_pipe
        psd_pipe psxstr pva pvf qcp qdraw_pipe qoa qoi_pipe r3d rcwt realtext redspark rka rl2
        rm roq rpl rsd rso s337m sami sbc sbg scc scd sdns sdr2 sds sdx ser sga sgi_pipe shn
        siff simbiosis_imx sln smjpeg smk smush sol sox spdif srt stl subviewer subviewer1
        sunrast_pipe sup svag svg_pipe svs swf tak tedcaptions thp tiertexseq tiff_pipe tmv
        truehd tta txd ty usm v210 v210x vag vbn_pipe vc1 vc1test vidc vividas vivo vmd voc vpk
        vplayer vqf vvc w64 wady wav wavarc wc3movie webm webp_anim webp_pipe webvtt wsaud wsd
        wsvqa wtv wv wve xa xbm_pipe xmd xmv xpm_pipe xvag xwd_pipe xwma yop yuv4mpegpipe
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )
}
