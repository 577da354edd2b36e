"use strict";(self.rspackChunknbduet_jupyter=self.rspackChunknbduet_jupyter||[]).push([[700],{646(e,t,n){var r=n(601),o=n.n(r),a=n(314),i=(n.n(a))()(o());i.push([e.id,`.nbduet-status {
  display: flex;
  gap: 8px;
  height: 100%;
}

.nbduet-agent {
  align-items: center;
  display: inline-flex;
  gap: 2px;
}

.nbduet-agent button {
  align-items: center;
  background: none;
  border: 0;
  border-radius: var(--jp-border-radius);
  color: inherit;
  cursor: pointer;
  display: inline-flex;
  font: inherit;
  gap: 4px;
  max-width: 18em;
  overflow: hidden;
  padding: 0 4px;
  text-overflow: ellipsis;
  white-space: nowrap;
}

.nbduet-agent button:hover,
.nbduet-agent button[aria-pressed='true'] {
  background: var(--jp-layout-color3);
}

.nbduet-agent button:focus-visible {
  outline: 1px solid var(--jp-brand-color1);
  outline-offset: -1px;
}

.nbduet-agent img {
  height: 16px;
  width: 16px;
}

/* A bar at the start of the cells that agents keep out of. */
.jp-Notebook-cell.nbduet-kept-out::before {
  background: var(--jp-warn-color1);
  bottom: var(--jp-cell-padding);
  content: '';
  inset-inline-start: 0;
  position: absolute;
  top: var(--jp-cell-padding);
  width: 3px;
}

.jp-ToolbarButton .nbduet-held {
  color: var(--jp-warn-color0);
}

.jp-ToolbarButton .nbduet-held .jp-icon3[fill] {
  fill: var(--jp-warn-color0);
}

.nbduet-region {
  background: rgb(0 0 0 / 15%);
  cursor: crosshair;
  position: fixed;
  touch-action: none;
  z-index: 10000;
}

.nbduet-region > div {
  background: rgb(255 255 255 / 30%);
  outline: 2px solid var(--jp-brand-color1);
  position: absolute;
}
`,""]),n.d(t,{},{A:i})},314(e){e.exports=function(e){var t=[];return t.toString=function(){return this.map(function(t){var n="",r=void 0!==t[5];return t[4]&&(n+="@supports (".concat(t[4],") {")),t[2]&&(n+="@media ".concat(t[2]," {")),r&&(n+="@layer".concat(t[5].length>0?" ".concat(t[5]):""," {")),n+=e(t),r&&(n+="}"),t[2]&&(n+="}"),t[4]&&(n+="}"),n}).join("")},t.i=function(e,n,r,o,a){"string"==typeof e&&(e=[[null,e,void 0]]);var i={};if(r)for(var s=0;s<this.length;s++){var c=this[s][0];null!=c&&(i[c]=!0)}for(var u=0;u<e.length;u++){var l=[].concat(e[u]);r&&i[l[0]]||(void 0!==a&&(void 0===l[5]||(l[1]="@layer".concat(l[5].length>0?" ".concat(l[5]):""," {").concat(l[1],"}")),l[5]=a),n&&(l[2]&&(l[1]="@media ".concat(l[2]," {").concat(l[1],"}")),l[2]=n),o&&(l[4]?(l[1]="@supports (".concat(l[4],") {").concat(l[1],"}"),l[4]=o):l[4]="".concat(o)),t.push(l))}},t}},601(e){e.exports=function(e){return e[1]}},72(e){var t=[];function n(e){for(var n=-1,r=0;r<t.length;r++)if(t[r].identifier===e){n=r;break}return n}function r(e,r){for(var o={},a=[],i=0;i<e.length;i++){var s=e[i],c=r.base?s[0]+r.base:s[0],u=o[c]||0,l="".concat(c," ").concat(u);o[c]=u+1;var p=n(l),d={css:s[1],media:s[2],sourceMap:s[3],supports:s[4],layer:s[5]};if(-1!==p)t[p].references++,t[p].updater(d);else{var f=function(e,t){var n=t.domAPI(t);return n.update(e),function(t){t?(t.css!==e.css||t.media!==e.media||t.sourceMap!==e.sourceMap||t.supports!==e.supports||t.layer!==e.layer)&&n.update(e=t):n.remove()}}(d,r);r.byIndex=i,t.splice(i,0,{identifier:l,updater:f,references:1})}a.push(l)}return a}e.exports=function(e,o){var a=r(e=e||[],o=o||{});return function(e){e=e||[];for(var i=0;i<a.length;i++){var s=n(a[i]);t[s].references--}for(var c=r(e,o),u=0;u<a.length;u++){var l=n(a[u]);0===t[l].references&&(t[l].updater(),t.splice(l,1))}a=c}}},659(e){var t={};e.exports=function(e,n){var r=function(e){if(void 0===t[e]){var n=document.querySelector(e);if(window.HTMLIFrameElement&&n instanceof window.HTMLIFrameElement)try{n=n.contentDocument.head}catch(e){n=null}t[e]=n}return t[e]}(e);if(!r)throw Error("Couldn't find a style target. This probably means that the value for the 'insert' parameter is invalid.");r.appendChild(n)}},540(e){e.exports=function(e){var t=document.createElement("style");return e.setAttributes(t,e.attributes),e.insert(t,e.options),t}},56(e,t,n){e.exports=function(e){var t=n.nc;t&&e.setAttribute("nonce",t)}},825(e){e.exports=function(e){if("u"<typeof document)return{update:function(){},remove:function(){}};var t=e.insertStyleElement(e);return{update:function(n){var r,o,a;r="",n.supports&&(r+="@supports (".concat(n.supports,") {")),n.media&&(r+="@media ".concat(n.media," {")),(o=void 0!==n.layer)&&(r+="@layer".concat(n.layer.length>0?" ".concat(n.layer):""," {")),r+=n.css,o&&(r+="}"),n.media&&(r+="}"),n.supports&&(r+="}"),(a=n.sourceMap)&&"u">typeof btoa&&(r+="\n/*# sourceMappingURL=data:application/json;base64,".concat(btoa(unescape(encodeURIComponent(JSON.stringify(a))))," */")),e.styleTagTransform(r,t,e.options)},remove:function(){var e;null===(e=t).parentNode||e.parentNode.removeChild(e)}}}},113(e){e.exports=function(e,t){if(t.styleSheet)t.styleSheet.cssText=e;else{for(;t.firstChild;)t.removeChild(t.firstChild);t.appendChild(document.createTextNode(e))}}},959(e,t,n){var r=n(72),o=n.n(r),a=n(825),i=n.n(a),s=n(659),c=n.n(s),u=n(56),l=n.n(u),p=n(540),d=n.n(p),f=n(113),v=n.n(f),b=n(646),h={};h.styleTagTransform=v(),h.setAttributes=l(),h.insert=c().bind(null,"head"),h.domAPI=i(),h.insertStyleElement=d(),o()(b.A,h),b.A&&b.A.locals&&b.A.locals}}]);