// The types of react-native-webview and react that the how-to page uses, as their documentation gives them.
declare module 'react-native-webview' {
  export interface Navigation { url: string; isTopFrame: boolean }
  export interface WebViewProps {
    source: { uri: string };
    originWhitelist?: string[];
    allowsInlineMediaPlayback?: boolean;
    mediaPlaybackRequiresUserAction?: boolean;
    mediaCapturePermissionGrantType?: 'prompt' | 'grant' | 'deny' | 'grantIfSameHostElsePrompt' | 'grantIfSameHostElseDeny';
    onShouldStartLoadWithRequest?: (request: Navigation) => boolean;
  }
  export function WebView(props: WebViewProps): JSX.Element;
}
declare module 'react' {
  const React: { createElement: (...parts: unknown[]) => JSX.Element };
  export default React;
}
declare namespace JSX { interface Element { kind: 'element' } }
